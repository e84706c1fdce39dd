import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where one harness keeps its transcripts. */
export interface Place {
  readonly harness: string
  readonly path: string
}

/** Environment variables by name; absent ones undefined. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The places of all harnesses, there or not (spec vendor-transcripts §2.1–8, b10x-harness §5). A variable of a harness
 * takes the place of its own defaults.
 */
export function usualPlaces(environment: Environment, home: string): Place[] {
  const below = (path: string): string => join(home, path)
  const share = environment['XDG_DATA_HOME'] || below('.local/share')
  const state = environment['XDG_STATE_HOME'] || below('.local/state')
  const listed = (name: string, defaults: readonly string[]): readonly string[] => {
    const value = environment[name] ?? ''
    const paths = value.split(',').map((path) => path.trim())
    return value.trim() === '' ? defaults : paths.filter((path) => path !== '')
  }
  const claude = listed('CLAUDE_CONFIG_DIR', [below('.config/claude'), below('.claude')])
  const codex = listed('CODEX_HOME', [below('.codex')])
  const places: readonly (readonly [string, readonly string[]])[] = [
    ['claude', claude.map((path) => join(path, 'projects'))],
    ['codex', codex.flatMap((path) => [join(path, 'sessions'), join(path, 'archived_sessions')])],
    ['gemini', [below('.gemini/tmp')]],
    ['qwen', [below('.qwen/projects'), below('.qwen/tmp')]],
    ['opencode', [join(share, 'opencode')]],
    ['copilot', [below('.copilot/session-state')]],
    ['cursor', [below('.cursor/projects')]],
    ['amp', [join(share, 'amp/threads')]],
    ['pi', [below('.pi/agent/sessions')]],
    ['goose', [join(share, 'goose/sessions')]],
    ['droid', [below('.factory/sessions')]],
    ['kimi', [below('.kimi/sessions'), below('.kimi-code/sessions')]],
    ['b10x', [join(state, 'b10x-harness/sessions')]],
  ]
  return places.flatMap(([harness, paths]) => paths.map((path) => ({ harness, path })))
}

/** The usual places that are there, on this machine. */
export function placesHere(): Place[] {
  return usualPlaces(process.env, homedir()).filter(({ path }) => existsSync(path))
}
