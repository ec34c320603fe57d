import type { Llama } from 'node-llama-cpp'
import type { LlamaCppModelConfig } from './config.js'
import { toBinaryError, toInstallError } from './error.js'

/** node-llama-cpp as its module has it; a type only, so nothing is loaded for it. */
export type LlamaModule = typeof import('node-llama-cpp')

/** llama.cpp logs from threads of its own. */
const logDelayMs = 20

/** llama.cpp, running in this process. */
export interface LlamaRuntime {
  readonly module: LlamaModule
  readonly llama: Llama
  /**
   * The last errors it logged; taking them empties the log. They come a moment later than the
   * failure they explain.
   */
  takeLog(): Promise<readonly string[]>
}

/**
 * One for each kind of processor: llama.cpp is a native library, there is one of it in a process.
 */
const runtimes = new Map<string, Promise<LlamaRuntime>>()

/**
 * Starts llama.cpp, once. It builds and downloads nothing.
 * @throws {LlmError} `config` — the package or its native part is not installed.
 */
export function startRuntime(gpu: LlamaCppModelConfig['gpu'] = 'auto'): Promise<LlamaRuntime> {
  const key = String(gpu)
  let runtime = runtimes.get(key)
  if (!runtime) {
    runtime = start(gpu)
    runtimes.set(key, runtime)
    runtime.catch(() => runtimes.delete(key))
  }
  return runtime
}

async function start(gpu: LlamaCppModelConfig['gpu'] & {}): Promise<LlamaRuntime> {
  let module: LlamaModule
  try {
    module = await import('node-llama-cpp')
  } catch (cause) {
    throw toInstallError(cause)
  }
  let log: string[] = []
  const logger = (level: string, message: string): void => {
    if (level === 'error' || level === 'fatal') log = [...log, message.trim()].slice(-4)
  }
  try {
    const llama = await module.getLlama({
      gpu,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      logLevel: module.LlamaLogLevel.error,
      logger,
    })
    return {
      module,
      llama,
      takeLog: async () => {
        await new Promise((resolve) => setTimeout(resolve, logDelayMs))
        const lines = log
        log = []
        return lines
      },
    }
  } catch (cause) {
    throw toBinaryError(cause)
  }
}
