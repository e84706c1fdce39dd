import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { projectDir } from './project.ts'
import type { Report, Task } from './sampled.ts'

/** Run one case in a process of its own. @throws Error when it failed; it has said why */
export function measureOne(task: Task): Promise<Report> {
  const program = join(projectDir, 'dist/bench/one.js')
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const parts: string[] = []
  child.stdout.setEncoding('utf8').on('data', (part: string) => parts.push(part))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code !== 0) return reject(new Error(`the case ${task.case} failed`))
      const answer: Report = JSON.parse(parts.join(''))
      resolve(answer)
    })
  })
}
