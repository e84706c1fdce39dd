// What a digest lane loads: one thread, one file hashed in order.
export { digestStep } from '../src/pipeline/digest-lane.ts'
