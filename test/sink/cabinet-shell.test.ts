import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOtherProgram, stepsOfArgv, stepsOfLine } from '../../src/sink/cabinet/shell.ts'
import type { Step } from '../../src/sink/cabinet/step.ts'

const command = null

describe('what a shell line does', () => {
  test.each<{ line: string; does: readonly string[] | null }>([
    // cat, nl
    { line: 'cat a.txt', does: ['read a.txt'] },
    { line: '/bin/cat a.txt', does: ['read a.txt'] },
    { line: 'cat -n -A a.txt', does: ['read a.txt'] },
    { line: 'cat a.txt b.txt', does: ['read a.txt', 'read b.txt'] },
    { line: 'cat -- -odd.txt', does: ['read -odd.txt'] },
    { line: `cat 'a b.txt' "c d.txt" e\\ f.txt`, does: ['read a b.txt', 'read c d.txt', 'read e f.txt'] },
    { line: 'cat < a.txt', does: ['read a.txt'] },
    { line: 'cat a.txt 2>/dev/null', does: ['read a.txt'] },
    { line: 'cat a.txt > /dev/null 2>&1', does: ['read a.txt'] },
    { line: 'LC_ALL=C cat a.txt', does: ['read a.txt'] },
    { line: 'time cat a.txt', does: ['read a.txt'] },
    { line: 'cat', does: command },
    { line: 'cat -', does: command },
    { line: 'cat $FILE', does: command },
    { line: 'cat "$(git ls-files | head -1)"', does: command },
    { line: 'nl -ba src/a.ts', does: ['read src/a.ts'] },
    { line: 'nl -b a -w 4 src/a.ts', does: ['read src/a.ts'] },
    // head, tail
    { line: 'head a.txt', does: ['read a.txt 1-10'] },
    { line: 'head -20 a.txt', does: ['read a.txt 1-20'] },
    { line: 'head -n 20 a.txt', does: ['read a.txt 1-20'] },
    { line: 'head -n20 a.txt', does: ['read a.txt 1-20'] },
    { line: 'head --lines=20 a.txt', does: ['read a.txt 1-20'] },
    { line: 'head -c 100 a.txt', does: ['read a.txt'] },
    { line: 'head -n -5 a.txt', does: ['read a.txt'] },
    { line: 'tail -n 20 a.txt', does: ['read a.txt'] },
    { line: 'tail -n +20 a.txt', does: ['read a.txt 20-'] },
    { line: 'tail +20 a.txt', does: ['read a.txt 20-'] },
    // sed
    { line: `sed -n '5p' a.txt`, does: ['read a.txt 5-5'] },
    { line: `sed -n '5,9p' a.txt`, does: ['read a.txt 5-9'] },
    { line: `sed -n 5,9p a.txt`, does: ['read a.txt 5-9'] },
    { line: `sed -n '10,$p' a.txt`, does: ['read a.txt 10-'] },
    { line: `sed -n '10,+4p' a.txt`, does: ['read a.txt 10-14'] },
    { line: `sed -n -e '5,9p' -e '20p' a.txt`, does: ['read a.txt 5-9', 'read a.txt 20-20'] },
    { line: `sed -n '1,3p;8,9p' a.txt`, does: ['read a.txt 1-3', 'read a.txt 8-9'] },
    { line: `sed -ne '5,9p;9q' a.txt`, does: ['read a.txt 5-9'] },
    { line: `sed -n '1,3p' a.txt b.txt`, does: ['read a.txt', 'read b.txt'] },
    { line: `sed -n '/foo/p' a.txt`, does: command },
    { line: `sed -n '0p' a.txt`, does: command },
    { line: `sed -i s/a/b/ a.txt`, does: command },
    { line: `sed -i -n '5p' a.txt`, does: command },
    { line: `sed s/a/b/ a.txt`, does: command },
    // rg, grep
    { line: 'rg -n --hidden weir src', does: ['search weir in src, 1 is empty'] },
    { line: 'rg weir', does: ['search weir, 1 is empty'] },
    { line: `rg -g '*.ts' -t js "a b" src lib`, does: ['search a b, 1 is empty'] },
    { line: `rg -e one -e two src`, does: ['search one in src, 1 is empty'] },
    { line: 'rg --files src', does: ['list src'] },
    { line: `rg --files -g '*.md'`, does: ['search *.md, 1 is empty'] },
    { line: 'grep -A 3 needle src/a.ts', does: ['search needle in src/a.ts, 1 is empty'] },
    { line: 'grep -rnC2 needle .', does: ['search needle in ., 1 is empty'] },
    { line: `grep -rn --include='*.ts' "it's" src`, does: ["search it's in src, 1 is empty"] },
    { line: 'grep -f words.txt a.txt', does: command },
    { line: 'grep "$WORD" a.txt', does: command },
    { line: '! grep needle a.txt', does: command },
    // find, fd, ls, tree
    { line: `find . -name '*.ts'`, does: ['search *.ts in .'] },
    { line: `find src lib -type f -iname "*.md" -not -path './x/*'`, does: ['search *.md'] },
    { line: 'find src -type f', does: ['list src'] },
    { line: 'find -L src -maxdepth 2', does: ['list src'] },
    { line: `find . -name '*.o' -delete`, does: command },
    { line: `find . -name '*.ts' -exec wc -l {} +`, does: command },
    { line: 'fd -e ts timetable src', does: ['search timetable in src, 1 is empty'] },
    { line: 'fd -t f', does: ['list'] },
    { line: 'fd -e tmp -x rm', does: command },
    { line: 'ls', does: ['list'] },
    { line: 'ls -la', does: ['list'] },
    { line: 'ls -la src', does: ['list src'] },
    { line: 'ls -1 src lib', does: ['list src', 'list lib'] },
    { line: 'ls *.ts', does: ['list *.ts'] },
    { line: 'tree -L 2 -I node_modules src', does: ['list src'] },
    { line: 'tree -o out.txt', does: command },
    // writing
    { line: `cat > src/x.ts <<'EOF'\nlet a = 1;\nEOF`, does: ['write src/x.ts'] },
    { line: `cat <<EOF >> notes.md\n$HOME is here\nEOF\n`, does: ['write notes.md'] },
    { line: 'echo hello > a.txt', does: ['write a.txt'] },
    { line: `printf '%s\\n' x >> a.txt`, does: ['write a.txt'] },
    { line: 'cat a.txt b.txt > c.txt', does: ['write c.txt'] },
    { line: 'grep x a.txt | sort -u > b.txt', does: ['write b.txt'] },
    { line: '> a.txt', does: ['write a.txt'] },
    { line: `tee a.txt b.txt <<'EOF'\nx\nEOF`, does: ['write a.txt', 'write b.txt'] },
    { line: 'echo x | tee -a log.txt >/dev/null', does: ['write log.txt'] },
    { line: 'echo hello', does: command },
    { line: 'echo x > $OUT', does: command },
    { line: 'npm test > log.txt 2>&1', does: command },
    { line: 'cat a.txt | tee b.txt | sh', does: command },
    { line: `python3 - <<'EOF'\nprint(1)\nEOF`, does: command },
    {
      line: `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: src/b.ts\n*** Add File: c.ts\n*** End Patch\nEOF`,
      does: ['write src/a.ts', 'write src/b.ts', 'write c.ts'],
    },
    // pipelines
    { line: 'cat a.txt | head -20', does: ['read a.txt 1-20'] },
    { line: `nl -ba a.txt | sed -n '5,9p'`, does: ['read a.txt 5-9'] },
    { line: 'head -120 a.txt | tail -20', does: ['read a.txt 101-120'] },
    { line: 'cat a.txt | tail -n +5', does: ['read a.txt 5-'] },
    { line: 'cat a.txt | wc -l', does: ['read a.txt'] },
    { line: 'cat a.txt | grep x | sort | uniq -c', does: ['read a.txt'] },
    { line: 'rg weir src | head -5', does: ['search weir in src'] },
    { line: 'ls src | wc -l', does: ['list src'] },
    { line: 'rg -l weir | xargs rm', does: command },
    { line: 'cat a.txt | python3 x.py', does: command },
    { line: 'sort -o a.txt a.txt', does: command },
    // sequences
    { line: 'cd src && cat a.ts', does: ['read src/a.ts'] },
    { line: 'cd src && ls', does: ['list src'] },
    { line: 'cd src; cd lib; rg x ../b', does: ['search x in src/b, 1 is empty'] },
    { line: 'cd /w/app\ncat ./a.ts', does: ['read /w/app/a.ts'] },
    { line: 'cd src && cat /etc/hosts', does: ['read /etc/hosts'] },
    { line: 'cd ~/app && cat a.ts', does: ['read ~/app/a.ts'] },
    { line: 'cd src', does: command },
    { line: 'cd - && cat a.ts', does: command },
    { line: 'cd $DIR && cat a.ts', does: command },
    { line: 'cd src || cat a.ts', does: command },
    { line: 'cat a.txt; rm a.txt', does: command },
    { line: 'cat a.txt;rm a.txt', does: command },
    { line: 'cat a.txt && cat b.txt', does: command },
    { line: 'cat a.txt || true', does: command },
    { line: 'cat a.txt &', does: command },
    { line: '(cat a.txt)', does: command },
    { line: 'if true; then cat a.txt; fi', does: command },
    { line: 'for f in *; do cat $f; done', does: command },
    // wrappers
    { line: `bash -lc 'cat a.txt'`, does: ['read a.txt'] },
    { line: `/bin/bash -lc "sed -n '5,9p' a.txt"`, does: ['read a.txt 5-9'] },
    { line: `/bin/bash -lc "sed -n '10,$p' a.txt"`, does: ['read a.txt 10-'] },
    { line: `zsh -lc "cat '$FILE'"`, does: command },
    { line: `sh -c 'cd src && cat a.ts'`, does: ['read src/a.ts'] },
    { line: `cd src && bash -c 'ls lib'`, does: ['list src/lib'] },
    { line: `bash -lc "sh -c 'cat a.txt'"`, does: ['read a.txt'] },
    { line: 'bash build.sh', does: command },
    { line: `bash -lc 'npm ci && npm test'`, does: command },
    // no shell, or broken
    { line: '', does: command },
    { line: `echo 'unterminated`, does: command },
    { line: 'cat a.txt |', does: command },
    { line: 'constructor x', does: command },
    { line: 'const a = await tools.exec({ cmd: "ls" })', does: command },
    { line: 'npm test', does: command },
  ])('$line', ({ line, does }) => {
    expect(said(stepsOfLine(line, null))).toEqual(does)
  })

  test('in the folder that the call names', () => {
    expect(said(stepsOfLine('cat a.txt ../b.txt /c.txt', '/w/app'))).toEqual([
      'read /w/app/a.txt',
      'read /w/b.txt',
      'read /c.txt',
    ])
    expect(said(stepsOfLine('cd src && rg x', '/w'))).toEqual(['search x in /w/src, 1 is empty'])
    expect(said(stepsOfLine('ls', '/w'))).toEqual(['list /w'])
  })

  test('there are at least sixty lines', () => {
    const written = readFileSync(new URL(import.meta.url), 'utf8')
    expect(written.match(/\{ line: |^ {6}line: /gm)?.length).toBeGreaterThan(60)
  })
})

describe('what a program with its arguments does', () => {
  test.each<{ argv: string[]; does: readonly string[] | null }>([
    { argv: ['bash', '-lc', 'cat a.txt'], does: ['read a.txt'] },
    { argv: ['cat', 'a b.txt'], does: ['read a b.txt'] },
    { argv: ['cat', '$HOME'], does: ['read $HOME'] },
    { argv: ['rg', 'a|b', 'src'], does: ['search a|b in src, 1 is empty'] },
    { argv: ['apply_patch', '*** Begin Patch\n*** Delete File: a.ts\n*** End Patch'], does: ['write a.ts'] },
    { argv: ['npm', 'test'], does: command },
    { argv: ['echo', '>', 'a'], does: command },
    { argv: [], does: command },
  ])('$argv', ({ argv, does }) => {
    expect(said(stepsOfArgv(argv, null))).toEqual(does)
  })
})

describe('hostile lines', () => {
  test.each([
    ['nested substitutions', '$('.repeat(100_000)],
    ['nested groups', '('.repeat(100_000)],
    ['nested wrappers', 'bash -c "'.repeat(1000)],
    ['many parts', 'cd a && '.repeat(50_000) + 'ls'],
    ['many functions', 'a(){'.repeat(60_000)],
    ['many words', `cat ${'a '.repeat(120_000)}`],
    ['many here-documents', 'cat <<A '.repeat(20_000)],
    ['many quotes', `cat ${`''""`.repeat(60_000)}`],
    ['many backticks', `cat "${'`'.repeat(100_000)}`],
    ['a long line', `cat ${'a'.repeat(2_000_000)}`],
    ['spaces in a patch', `apply_patch '*** Add File:${' '.repeat(500_000)}'`],
  ])('%s are soon done with', (_, line) => {
    const started = performance.now()
    stepsOfLine(line, '/w')
    expect(performance.now() - started).toBeLessThan(3000)
  })

  test('a file with any number of << in it is written all the same', () => {
    const lines = 'std::cout << a << b;\n'.repeat(1000)
    expect(said(stepsOfLine(`cat > a.cc <<'EOF'\n${lines}EOF\n`, null))).toEqual(['write a.cc'])
  })

  test('lines that name hundreds of files stay commands', () => {
    expect(stepsOfLine(`cat ${'a '.repeat(256)}`, null)).toHaveLength(256)
    expect(stepsOfLine(`cat ${'a '.repeat(257)}`, null)).toBeNull()
  })
})

describe('a line that is a command at sight', () => {
  test.each<{ begins: string; other: boolean }>([
    { begins: 'git status', other: true },
    { begins: '  npm test -- -t "a', other: true },
    { begins: './gradlew;cat a', other: true },
    { begins: 'node -e "require(', other: true },
    { begins: 'python3\n', other: true },
    { begins: 'main() { cat a', other: false },
    { begins: '@(a|b)/ls c', other: false },
    { begins: 'make|tee log', other: true },
    // Its end is not to be seen.
    { begins: 'git', other: false },
    { begins: '/usr/local/bin/gi', other: false },
    // A number in front of one of these is no program.
    { begins: '2>errors cat a', other: false },
    { begins: 'git>a', other: false },
    // Not the program yet.
    { begins: 'A=1 git status', other: false },
    { begins: 'time git status', other: false },
    { begins: 'cd a && git status', other: false },
    { begins: '\\cat a', other: false },
    { begins: '"git" status', other: false },
    // Other white space is part of a word, so that the program is called ls.
    { begins: 'git\u00a0/bin/ls a', other: false },
    { begins: 'git\f/bin/ls a', other: false },
    { begins: 'git\r/bin/ls\n', other: false },
    { begins: 'git\r\n', other: true },
    { begins: '$(git) status', other: false },
    // Programs that are looked into.
    { begins: 'cat a', other: false },
    { begins: '/usr/bin/rg a', other: false },
    { begins: 'bash -c "git status"', other: false },
    { begins: 'echo a > b', other: false },
    { begins: 'apply_patch <<', other: false },
    { begins: '', other: false },
  ])('$begins', ({ begins, other }) => {
    expect(isOtherProgram(begins)).toBe(other)
  })

  test('comes to no steps, whatever follows', () => {
    const signs = [
      ' ',
      '\n',
      '\t',
      '\r\n',
      ';',
      '|',
      '||',
      '&',
      '&&',
      '(',
      ')',
      '{',
      '}',
      '<',
      '>',
      '>>',
      '<<E\n',
      '\nE\n',
    ]
    const odd = [
      '2',
      '$',
      '`',
      '"',
      "'",
      '\\',
      '=',
      '!',
      '#',
      '-',
      '--',
      '/',
      '.',
      '*',
      '+',
      '@',
      ':',
      '%',
      '\u00a0',
      '\f',
      '\v',
      '\r',
      '\u2028',
      'ż',
    ]
    const plain =
      'cat a f.txt git cd time if then fi do done for while case esac function coproc exec env rg ls /ls tee bash -c'
    const piece = fc.constantFrom(...signs, ...odd, ...plain.split(' '))
    let at = 0
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const line = pieces.join('')
        if (!isOtherProgram(line)) return
        at++
        expect(stepsOfLine(line, '/w')).toBeNull()
      }),
      { numRuns: 20_000 },
    )
    expect(at).toBeGreaterThan(1000)
  })
})

/** Steps in a few words. */
function said(steps: readonly Step[] | null): string[] | null {
  return steps === null ? null : steps.map(words)
}

function words(step: Step): string {
  switch (step.type) {
    case 'read':
    case 'write': {
      const { startLine, endLine } = step
      return `${step.type} ${step.path}${startLine === null ? '' : ` ${startLine}-${endLine ?? ''}`}`
    }
    case 'search': {
      const place = step.path === null ? '' : ` in ${step.path}`
      return `search ${step.query}${place}${step.exits1WhenEmpty ? ', 1 is empty' : ''}`
    }
    case 'list':
      return step.path === null ? 'list' : `list ${step.path}`
    default:
      return step.type
  }
}
