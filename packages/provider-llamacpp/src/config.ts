import { checkSettings, namesOf, optionNames } from '@modelport/core/settings'
import { type CommonConfig, requireConfig } from '@modelport/driver'

/** Which file to load, and where it runs. */
export interface LlamaCppModelConfig {
  /** Path of a GGUF file. */
  readonly modelPath: string
  /** Name of the model. Default: the file's, without `.gguf`. */
  readonly model?: string
  /**
   * Which kind of processor computes: false the CPU. Default `auto`: the best one there is. Nothing
   * is ever built or fetched for it; node-llama-cpp's own package for it must be installed.
   */
  readonly gpu?: false | 'auto' | 'cuda' | 'metal' | 'vulkan'
  /**
   * Threads of the CPU. Default: one less than the physical cores that this process may use, at
   * least one.
   */
  readonly threads?: number
  /**
   * Maximum tokens of prompt and reply together. Default: what the model was trained for, at most
   * 8192.
   */
  readonly contextSize?: number
}

/** Configuration of {@link createLlamaCpp}. */
export interface LlamaCppConfig
  extends LlamaCppModelConfig,
    Pick<
      CommonConfig,
      'cheapestModel' | 'profile' | 'defaults' | 'timeouts' | 'limits' | 'tokenFactor' | 'clock'
    > {
  /** A Jinja chat template instead of the file's own. */
  readonly chatTemplate?: string
  /**
   * Answers that may be made at the same time, each with a context of its own; further calls wait.
   * Default 1.
   */
  readonly parallel?: number
}

/** Names of {@link LlamaCppConfig}. */
export const configNames: readonly string[] = namesOf<LlamaCppConfig>({
  modelPath: true,
  model: true,
  gpu: true,
  threads: true,
  contextSize: true,
  cheapestModel: true,
  profile: true,
  defaults: true,
  timeouts: true,
  limits: true,
  tokenFactor: true,
  clock: true,
  chatTemplate: true,
  parallel: true,
})

/**
 * Checks what a creator was given; nothing that is about connections is read here. Throws like
 * `requireConfig`.
 */
export function checkConfig(config: object, creator: string, names: readonly string[]): void {
  requireConfig(config, creator, names)
  checkSettings(creator, config, names, { defaults: optionNames.call })
}
