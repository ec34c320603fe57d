// The model as a class that crosses the boundary of a step, as
// https://workflow-sdk.dev/docs/foundations/serialization says: the class of
// @ai-sdk/openai-compatible 3.0.92 is not found there after a build with Nitro.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { WORKFLOW_DESERIALIZE, WORKFLOW_SERIALIZE } from '@workflow/serde'

export class Scripted {
  specificationVersion = 'v4'
  provider = 'scripted'
  modelId = 'scripted'
  supportedUrls = {}

  constructor(baseURL) {
    this.baseURL = baseURL
  }

  static [WORKFLOW_SERIALIZE]({ baseURL }) {
    return { baseURL }
  }

  static [WORKFLOW_DESERIALIZE]({ baseURL }) {
    return new Scripted(baseURL)
  }

  async doStream(options) {
    return createOpenAICompatible({ name: 'scripted', baseURL: this.baseURL })
      .chatModel('scripted')
      .doStream(options)
  }
}
