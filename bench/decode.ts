import { openSource } from '../src/source/codec.ts'

// Started by itself: decodes a file to nowhere and says how many bytes it held.

const block = Buffer.allocUnsafeSlow(1024 * 1024)
const { source } = await openSource(process.argv[2] ?? null)
let bytes = 0
for (;;) {
  const answer = source.read(block, 0, block.length)
  const got = typeof answer === 'number' ? answer : await answer
  if (got === 0) break
  bytes += got
}
source.close()
process.stdout.write(String(bytes))
