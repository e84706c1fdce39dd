import type { Adapter } from './adapter.ts'
import { ampStream } from './amp-stream.ts'
import { ampThread } from './amp-thread.ts'
import { b10x } from './b10x.ts'
import { b10xSession } from './b10x-session.ts'
import { cabinet } from './cabinet.ts'
import { captureOf } from './cabinet-raw.ts'
import { claudeSession } from './claude-session.ts'
import { claudeStream } from './claude-stream.ts'
import { cline } from './cline.ts'
import { codexExec } from './codex-exec.ts'
import { codexRollout } from './codex-rollout.ts'
import { copilot } from './copilot.ts'
import { cursorStream } from './cursor-stream.ts'
import { cursorTranscript } from './cursor-transcript.ts'
import { droidSession } from './droid-session.ts'
import { droidStream } from './droid-stream.ts'
import { geminiChat } from './gemini-chat.ts'
import { geminiStream } from './gemini-stream.ts'
import { goHarness } from './go-harness.ts'
import { gooseSession } from './goose-session.ts'
import { gooseStream } from './goose-stream.ts'
import { kilo } from './kilo.ts'
import { kimiWire } from './kimi-wire.ts'
import { metaharness } from './metaharness.ts'
import { opencodeRun } from './opencode-run.ts'
import { opencodeStore } from './opencode-store.ts'
import { piJson } from './pi-json.ts'
import { piSession } from './pi-session.ts'
import { qwen } from './qwen.ts'
import { unknown } from './unknown.ts'

/** The dialects, in the order in which their evidence is asked for (spec vendor-transcripts §1). */
const builtIn: readonly Adapter<unknown>[] = [
  metaharness,
  b10x,
  b10xSession,
  goHarness,
  captureOf(null),
  cabinet,
  cline,
  gooseStream,
  kilo,
  codexRollout,
  codexExec,
  claudeSession,
  claudeStream,
  qwen,
  cursorStream,
  ampStream,
  droidStream,
  geminiStream,
  geminiChat,
  opencodeRun,
  opencodeStore,
  copilot,
  cursorTranscript,
  ampThread,
  piSession,
  piJson,
  gooseSession,
  droidSession,
  kimiWire,
]

/** Dialects by name, in the order of detection, and the fallback. */
export class Dialects {
  /** In the order in which they are asked. */
  readonly adapters: readonly Adapter<unknown>[]
  /** For transcripts that none of them claims. */
  readonly fallback: Adapter<unknown> = unknown

  constructor(more: readonly Adapter<unknown>[] = []) {
    this.adapters = [...more, ...builtIn]
  }

  /** The adapter of a capture whose lines are of `inner`. */
  captured(inner: Adapter<unknown>): Adapter<unknown> {
    return captureOf(inner === this.fallback ? null : inner)
  }

  /** The adapter of a dialect, null when there is none of that name. */
  named(dialect: string): Adapter<unknown> | null {
    if (dialect === this.fallback.dialect) return this.fallback
    return this.adapters.find((adapter) => adapter.dialect === dialect) ?? null
  }
}
