import { describe, expect, test } from 'vitest'
import { usualPlaces } from '../../src/source/places.ts'

function pathsOf(harness: string, environment: Record<string, string>): string[] {
  return usualPlaces(environment, '/home/dev')
    .filter((place) => place.harness === harness)
    .map((place) => place.path)
}

describe('usual places', () => {
  test.each([
    ['claude', {}, ['/home/dev/.config/claude/projects', '/home/dev/.claude/projects']],
    ['claude', { CLAUDE_CONFIG_DIR: '/a, /b' }, ['/a/projects', '/b/projects']],
    [
      'claude',
      { CLAUDE_CONFIG_DIR: ' ' },
      ['/home/dev/.config/claude/projects', '/home/dev/.claude/projects'],
    ],
    ['codex', {}, ['/home/dev/.codex/sessions', '/home/dev/.codex/archived_sessions']],
    ['codex', { CODEX_HOME: '/c' }, ['/c/sessions', '/c/archived_sessions']],
    ['b10x', { XDG_STATE_HOME: '/s' }, ['/s/b10x-harness/sessions']],
    ['b10x', {}, ['/home/dev/.local/state/b10x-harness/sessions']],
    ['opencode', { XDG_DATA_HOME: '/d' }, ['/d/opencode']],
  ])('of %s with %j', (harness, environment, paths) => {
    expect(pathsOf(harness, environment)).toEqual(paths)
  })

  test('every harness has one', () => {
    const harnesses = new Set(usualPlaces({}, '/home/dev').map((place) => place.harness))
    expect(harnesses.size).toBe(13)
  })
})
