import { readFileSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// Loaded into a program that is measured (`node --import`). All its threads share one memory, so the main one speaks.

const path = process.env['MILLRACE_BENCH_PEAK']

/** Kilobytes: the high-water mark of this program's own memory, from the kernel. */
function peakKilobytes(): number {
  try {
    const status = readFileSync('/proc/self/status', 'latin1')
    const line = /^VmHWM:\s*(\d+) kB$/m.exec(status)
    if (line !== null) return Number(line[1])
  } catch {
    // No such file outside Linux.
  }
  // Not first: on Linux it also counts the memory of the program that started this one.
  return process.resourceUsage().maxRSS
}

if (isMainThread && path !== undefined) {
  process.on('exit', () => writeFileSync(path, String(peakKilobytes() * 1024)))
}
