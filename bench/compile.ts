import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { projectDir } from './project.ts'

/**
 * Turn the benchmark and the corpus generator into plain JavaScript in `dist`, beside the code they measure.
 *
 * What is measured must be the code that ships, and what it is measured against must not be slowed down either. A loader
 * that compiles on the fly does both: it wraps functions to keep their names, which costs several times the work
 * of small ones. So the cases import `../src/….ts` like any other file, and here the compiler that made `dist/src`
 * makes `dist/bench`, where the same imports lead to `dist/src/….js`. Types are checked with the tests, not here.
 *
 * @returns the program to run
 */
export function compileBench(): string {
  for (const path of [...sourcesBelow('bench'), ...sourcesBelow('scripts')]) {
    const { outputText } = ts.transpileModule(readFileSync(join(projectDir, path), 'utf8'), {
      fileName: path,
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    })
    const to = join(projectDir, 'dist', path.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, outputText)
  }
  return join(projectDir, 'dist/bench/run.js')
}

/** TypeScript files of a folder of the project, at any depth. */
function sourcesBelow(folder: string): string[] {
  return readdirSync(join(projectDir, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sourcesBelow(path)
    return path.endsWith('.ts') ? [path] : []
  })
}
