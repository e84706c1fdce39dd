import { defineConfig } from 'vitest/config'

/** Set by the continuous check: where to leave the counts of the run, as JSON. */
const reportPath = process.env['MILLRACE_TEST_REPORT']

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/install-peers.ts',
    // Processes, not threads: the pipeline under test starts worker threads of its own.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: reportPath ? ['default', ['json', { outputFile: reportPath }]] : ['default'],
  },
})
