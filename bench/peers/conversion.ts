import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { command } from '../project.ts'
import { type Manifest, outputFaults, readManifest } from './manifest.ts'
import type { Program } from './program.ts'

/**
 * A conversion by the command, as a program of a comparison. Its first output is looked at byte by byte; all later ones, of
 * whatever number of workers, have to give the same manifest.
 */
export class Conversion {
  private readonly from: string
  private readonly to: string
  private readonly records: number
  private readonly withDigests: boolean
  private first: Manifest | null = null

  /**
   * @param to an empty folder's name, removed before each run
   * @param records that there are
   */
  constructor(from: string, to: string, records: number, withDigests = true) {
    this.from = from
    this.to = to
    this.records = records
    this.withDigests = withDigests
  }

  program(name: string, ...options: readonly string[]): Program {
    const digests = this.withDigests ? [] : ['--no-digest']
    return {
      name,
      command: [
        process.execPath,
        command,
        'convert',
        this.from,
        '-o',
        `${this.to}/`,
        '--quiet',
        ...digests,
        ...options,
      ],
      isOurs: true,
      prepare: () => clear(this.to),
      faults: () => this.faults(readManifest(this.to)),
    }
  }

  /** Of the transcripts, by their paths. @throws Error before the first run */
  get manifest(): Manifest {
    if (this.first === null) throw new Error('nothing was converted yet')
    return this.first
  }

  private faults(manifest: Manifest): string[] {
    if (this.first !== null)
      return manifest.text === this.first.text ? [] : ['the manifest differs from that of the first run']
    this.first = manifest
    const { failed, records } = manifest
    return [
      ...(failed === 0 ? [] : [`${failed} transcripts failed`]),
      ...(records === this.records ? [] : [`${records} records, expected ${this.records}`]),
      ...(this.withDigests ? outputFaults(this.to, manifest) : []),
    ]
  }
}

/** `cp -r`, which has to leave as many bytes. */
export function copying(from: string, to: string, bytes: number): Program {
  return {
    name: 'cp -r',
    command: ['cp', '-r', from, to],
    isOurs: false,
    prepare: () => clear(to),
    faults: () => {
      const copied = bytesBelow(to)
      return copied === bytes ? [] : [`${copied} bytes, expected ${bytes}`]
    },
  }
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

/** Outputs of one program stand in the way of the next: there is room for one. */
export function clear(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
