// What servers of one's own, and vendors without a package of types, take besides Chat Completions,
// written from their documentation.
// @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md (read 2026-11-24):
// `/tokenize`, `/apply-template`
// @see https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html (read 2026-11-24):
// `/tokenize`
import { any, boolean, list, map, object, string } from './forms.ts'

/** The shapes. */
export const serverShapes: {
  readonly $id: string
  readonly source: string
  readonly definitions: Record<string, object>
} = {
  $id: 'servers',
  source: 'the documentation of llama.cpp and vLLM, read 2026-11-24',
  definitions: {
    tokenize: {
      anyOf: [
        object({
          'content!': string,
          add_special: boolean,
          parse_special: boolean,
          with_pieces: boolean,
        }),
        object({
          model: string,
          'messages!': list(map, { minItems: 1 }),
          tools: list(map),
          add_generation_prompt: boolean,
          continue_final_message: boolean,
          return_token_strs: boolean,
          add_special_tokens: boolean,
          chat_template_kwargs: map,
        }),
      ],
    },
    applyTemplate: object({
      'messages!': list(map, { minItems: 1 }),
      tools: list(map),
      tool_choice: any,
      chat_template_kwargs: map,
    }),
  },
}
