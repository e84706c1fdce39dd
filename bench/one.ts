import { entries, entriesForAny } from './cases.ts'
import { callCosts } from './cases/vocabulary.ts'
import { given, stage } from './corpora.ts'
import { race } from './race.ts'
import type { Report, Sampled, Task } from './sampled.ts'

/** Measure one case in a process of its own, so that no case meets code that another one has warmed or spoilt. */
async function measure(task: Task): Promise<Report> {
  if (task.case === 'calls') {
    return { kind: 'calls', calls: await callCosts(await stage('session', task.corpora)) }
  }
  return { kind: 'sampled', sampled: await sample(task) }
}

async function sample(task: Task): Promise<Sampled> {
  const known = task.given === null ? entries : entriesForAny
  const entry = known.find(({ bench }) => bench.name === task.case)
  if (entry === undefined) throw new Error(`there is no case ${task.case}`)
  const { bench } = entry
  const corpus =
    task.given === null ? await stage(entry.corpus ?? 'session', task.corpora) : await given(task.given)
  const { bytes, items, ours, baselines, peakRss } = await bench.open(corpus, task.scratch)
  const [seconds, ...others] = await race([ours, ...baselines], bench)
  return {
    name: bench.name,
    title: bench.title,
    bytes,
    items: items ?? null,
    seconds: seconds ?? [],
    baselines: baselines.map(({ name }, i) => ({ name, seconds: others[i] ?? [] })),
    peakRssBytes: peakRss === undefined ? null : peakRss(),
    tookSeconds: process.uptime(),
  }
}

const task: Task = JSON.parse(process.argv[2] ?? '')
try {
  process.stdout.write(JSON.stringify(await measure(task)))
} catch (error) {
  process.stderr.write(`${task.case}: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
