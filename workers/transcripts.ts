// What the pool loads: each export is a kind of task. All of the work is in src/.
export { readBatch, scanChunk, scanFilled, writeChunk } from '../src/pipeline/worker-tasks.ts'
// With a single worker it hashes as well.
export { digestStep } from '../src/pipeline/digest-lane.ts'
