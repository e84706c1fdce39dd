// What a digest lane loads: one thread, one file hashed in order.
export { digestStep as default } from '../src/pipeline/digest-lane.ts'
