import type { LlamaModel } from 'node-llama-cpp'
import type { LlamaCppModelConfig } from './config.js'
import { toLoadError } from './error.js'
import { type LlamaRuntime, startRuntime } from './llama-runtime.js'
import { checkModelFile } from './model-file.js'

/** A loaded model that others may use too. */
export interface ModelLease {
  readonly runtime: LlamaRuntime
  readonly model: LlamaModel
  /** Gives it back; the last one frees the memory. */
  readonly release: () => Promise<void>
}

type SharedModel = Omit<ModelLease, 'release'>

interface Entry {
  readonly loading: Promise<SharedModel>
  users: number
}

/** Weights are loaded once in a process, however many providers use them. */
const entries = new Map<string, Entry>()

/**
 * A model of this file, loaded now or before.
 * @throws {LlmError} `config` — no file, no GGUF, too little memory, or llama.cpp is not installed.
 */
export async function leaseModel({
  modelPath,
  gpu = 'auto',
}: LlamaCppModelConfig): Promise<ModelLease> {
  const path = await checkModelFile(modelPath)
  const key = `${String(gpu)} ${path}`
  const entry = entries.get(key) ?? { loading: load(path, gpu), users: 0 }
  entries.set(key, entry)
  entry.users++
  const release = async (): Promise<void> => {
    if (--entry.users > 0) return
    entries.delete(key)
    await entry.loading.then(
      ({ model }) => model.dispose(),
      () => undefined,
    )
  }
  try {
    return { ...(await entry.loading), release: once(release) }
  } catch (error) {
    await release()
    throw error
  }
}

async function load(
  modelPath: string,
  gpu: NonNullable<LlamaCppModelConfig['gpu']>,
): Promise<SharedModel> {
  const runtime = await startRuntime(gpu)
  try {
    return { runtime, model: await runtime.llama.loadModel({ modelPath }) }
  } catch (cause) {
    throw toLoadError(cause, `the model ${modelPath}`, await runtime.takeLog())
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= action())
}
