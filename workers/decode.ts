// What a decode lane loads: one thread, one compressed file.
export { decodeStep as default } from '../src/pipeline/decode-lane.ts'
