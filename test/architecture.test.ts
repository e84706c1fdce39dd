import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectDir } from './shared.ts'

/**
 * Which folder of `src` may import from which others; a folder may always import
 * from itself. Imports run one way: no row names a folder that names it back.
 * Types count like values: a type that points upwards is in the wrong folder.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  // Knows the type of the command, which it finds in what the build packed.
  start: ['cli'],
  kernel: [],
  event: ['kernel'],
  source: ['event', 'kernel'],
  dialect: ['event', 'kernel'],
  usage: ['event', 'kernel'],
  sink: ['usage', 'event', 'kernel'],
  report: ['sink', 'usage', 'event', 'kernel'],
  pipeline: ['source', 'dialect', 'sink', 'usage', 'report', 'event', 'kernel'],
  cli: ['pipeline', 'source', 'dialect', 'sink', 'usage', 'report', 'event', 'kernel'],
  'index.ts': ['pipeline', 'source', 'dialect', 'sink', 'usage', 'report', 'event', 'kernel'],
}

/** Files (or folders) of `src/dialect` with one of these names are adapters; all others are common to several. */
const dialectNames = new Set(
  `claude-session claude-stream codex-rollout codex-exec b10x b10x-session go-harness metaharness cabinet
  cabinet-raw gemini-chat gemini-stream qwen opencode-run opencode-store copilot cursor-stream
  cursor-transcript amp-thread amp-stream pi-session pi-json goose-stream goose-session droid-session
  droid-stream kimi-wire cline kilo unknown`.split(/\s+/),
)

/** Who may know which adapters exist. */
const adapterTables = ['src/dialect/registry.ts', 'src/dialect/detect.ts', 'src/index.ts']

interface Import {
  readonly from: string
  /** A path of the project for a relative import, else as written. */
  readonly to: string
}

const files = [...sourceFiles('src'), ...sourceFiles('workers')]
const imports = files.flatMap((path) => importsOf(path, readFileSync(join(projectDir, path), 'utf8')))
const inner = imports.filter(({ to }) => files.includes(to))

describe('reading imports', () => {
  test.each([
    { text: `import { a } from './a.ts'`, to: ['src/x/a.ts'] },
    { text: `import type { A } from '../y/a.ts'`, to: ['src/y/a.ts'] },
    { text: `import {\n  a,\n  b,\n} from './a.ts'\nimport './b.ts'`, to: ['src/x/a.ts', 'src/x/b.ts'] },
    { text: `import './a.ts'; import { b } from './b.ts'`, to: ['src/x/a.ts', 'src/x/b.ts'] },
    { text: `export * from './a.ts'`, to: ['src/x/a.ts'] },
    { text: `const a = await import('./a.ts')`, to: ['src/x/a.ts'] },
    { text: `let a: import('./a.ts').A`, to: ['src/x/a.ts'] },
    { text: `import fs from 'node:fs'`, to: ['node:fs'] },
    { text: `const text = "taken from './a.ts'"`, to: [] },
    { text: `// import { a } from './a.ts'\n/** import './b.ts' */`, to: [] },
  ])('$text', ({ text, to }) => {
    expect(importsOf('src/x/file.ts', text).map((found) => found.to)).toEqual(to)
  })
})

describe('imports', () => {
  test('lead to files that exist', () => {
    const dangling = imports.filter(
      ({ to }) => /^(src|workers|\.)/.test(to) && !existsSync(join(projectDir, to)),
    )
    expect(lines(dangling)).toEqual([])
  })

  test('every folder of src has a row in the table', () => {
    const folders = new Set(files.filter((path) => path.startsWith('src/')).map(folderOf))
    expect([...folders].filter((folder) => !(folder in mayImport))).toEqual([])
  })

  test('run one way', () => {
    const upward = inner.filter(({ from, to }) => {
      if (to.startsWith('workers/')) return true
      // A worker is an entry like the command line, but it may not lean on it.
      const allowed = from.startsWith('workers/') ? mayImport['index.ts'] : mayImport[folderOf(from)]
      return folderOf(from) !== folderOf(to) && !allowed?.includes(folderOf(to))
    })
    expect(lines(upward)).toEqual([])
  })

  test('of workers lead only into src', () => {
    const elsewhere = imports.filter(
      ({ from, to }) => from.startsWith('workers/') && !/^(src\/|node:|piscina$)/.test(to),
    )
    expect(lines(elsewhere)).toEqual([])
  })

  test('of the kernel lead nowhere but into the kernel and Node', () => {
    const outside = imports.filter(
      ({ from, to }) => folderOf(from) === 'kernel' && !/^(src\/kernel\/|node:|simdjson$)/.test(to),
    )
    expect(lines(outside)).toEqual([])
  })

  test('form no cycle', () => {
    expect(findCycle()).toEqual([])
  })

  test('adapters do not know each other', () => {
    const crossing = inner.filter(({ from, to }) => {
      const target = adapterOf(to)
      return target !== undefined && target !== adapterOf(from) && !adapterTables.includes(from)
    })
    expect(lines(crossing)).toEqual([])
  })

  test('simdjson is named by one module only, however it is loaded', () => {
    const naming = files.filter((path) =>
      /['"]simdjson['"]/.test(readFileSync(join(projectDir, path), 'utf8')),
    )
    expect(naming.filter((path) => path !== 'src/kernel/second-opinion.ts')).toEqual([])
  })
})

describe('names', () => {
  test('say what a file is about', () => {
    const vague = files.filter((path) => /(^|[/-])(utils?|helpers?|common|misc|managers?)[./]/.test(path))
    expect(vague).toEqual([])
  })
})

/** Every TypeScript file below `folder`, except the scanner, which is AssemblyScript. */
function sourceFiles(folder: string): string[] {
  if (!existsSync(join(projectDir, folder)) || folder === 'src/kernel/assembly') return []
  return readdirSync(join(projectDir, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return sourceFiles(path)
    return path.endsWith('.ts') ? [path] : []
  })
}

/** Imports at the start of a statement, re-exports, and `import(…)` anywhere, of values and of types. */
function importsOf(from: string, text: string): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const pattern =
    /(?:^|;[ \t]*)(?:import|export)\s(?:[^'"`;=]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm
  return Array.from(code.matchAll(pattern), ([, statement, call]) => {
    const written = statement ?? call ?? ''
    return { from, to: written.startsWith('.') ? posix.join(dirname(from), written) : written }
  })
}

/** `src/kernel/tape.ts` → `kernel`, `src/index.ts` → `index.ts`. */
function folderOf(path: string): string {
  return path.split('/')[1] ?? path
}

function adapterOf(path: string): string | undefined {
  const [, folder, name] = path.split('/')
  const stem = basename(name ?? '', '.ts')
  return folder === 'dialect' && dialectNames.has(stem) ? stem : undefined
}

/** The files of one import cycle, the first of them again at the end; empty when there is none. */
function findCycle(): string[] {
  const done = new Set<string>()
  function visit(path: string, trail: readonly string[]): string[] {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return []
    for (const { to } of inner.filter(({ from }) => from === path)) {
      const cycle = visit(to, [...trail, path])
      if (cycle.length > 0) return cycle
    }
    done.add(path)
    return []
  }
  for (const path of files) {
    const cycle = visit(path, [])
    if (cycle.length > 0) return cycle
  }
  return []
}

function lines(found: readonly Import[]): string[] {
  return found.map(({ from, to }) => `${from} → ${to}`)
}
