import type { Vendor } from '../vendor.js'

/** A GGUF file in this process; opens no connection. */
export const llamacpp: Vendor = {
  name: 'llamacpp',
  title: 'llama.cpp in this process',
  package: '@modelport/provider-llamacpp',
  aliases: ['llama-cpp', 'llama.cpp', 'llama.cpp-local'],
  keyVariables: [],
  needsKey: false,
  docs: 'https://node-llama-cpp.withcat.ai',
}
