type Ignored = readonly (readonly [path: RegExp, reason: string])[]

const echoes = 'the server repeats the request'
const bytes = 'the bytes of a token whose text is reported'
const named = 'the wire says the kind of a thing that its fields tell already'
const clock = 'a time of the server; timings have durations'
const parts = 'a part of a number that is reported whole'

const requestFields =
  'background|billing|frequency_penalty|instructions|max_output_tokens|metadata|parallel_tool_calls|presence_penalty|previous_response_id|prompt_cache_(key|options|retention)|reasoning|safety_identifier|store|temperature|text\\.(format|verbosity)|tool_choice|tools|top_logprobs|top_p|truncation'

/**
 * Paths of the wire that nothing a caller sees depends on, by API, each with the reason. Lists are
 * `[]`.
 */
export const ignoredWireFields: Readonly<Record<string, Ignored>> = {
  'openai-chat': [
    [/^choices\.\[\]\.(delta|message)\.(.+\.)?(role|type)$/, named],
    [/^(created|time_info\.created|sla_metrics\.ts_us)$/, clock],
    [
      /^(object|p|obfuscation)$/,
      'named by the endpoint; or padding against measurements of length',
    ],
    [/^generationId$/, 'the same stands in the report of the router'],
    [/^(request_id|x_groq\.id)$/, 'a second id next to the id of the response'],
    [/^(choices\.\[\]\.seed|x_groq\.seed|metadata\.\*)$/, 'the random seed of the server'],
    [/^(prompt_filter_results\.\[\]\.prompt_index|usage\.search_context_size|test_field)$/, echoes],
    [
      /url_citation\.start_index$/,
      'routers write both places as 0 where they know none; the end decides',
    ],
    [/annotations\.\[\]\.file\./, "the server's reading of a file of the caller"],
    [/message\.audio\./, 'a sound whose format the request did not name: a warning'],
    [/delta\.channel$/, named],
    [/message\.content\.\[\]\.closed$/, 'says that a list of thinking parts is whole'],
    [/message\.tool_calls\.\[\]\.custom\./, 'empty next to a function call'],
    [
      /tool_calls\.\[\]\.index$/,
      'whole messages list their calls in order; one call needs no number',
    ],
    [/^choices\.\[\]\.(stop_reason|matched_stop)$/, 'the number of a token; a text is reported'],
    [
      /^choices\.\[\]\.text$|delta\.token_id$/,
      'the text of the delta again, or its number in a vocabulary',
    ],
    [/logprobs\.content\.\[\]\.bytes/, bytes],
    [
      /^search_results\.\[\]\.(last_updated|source)$/,
      'a citation has address, title, text and date',
    ],
    [/^usage\.is_byok$/, parts],
    [
      /^usage\.(audio_prompt_tokens|prompt_audio_seconds|prompt_cache_(hit|miss)_tokens|draft_tokens.*)$/,
      parts,
    ],
    [
      /^usage_breakdown\..*(_time|total_tokens)$/,
      'times and sums of the parts of a compound system',
    ],
    [
      /^x_groq\.usage\.completion_tokens_details\.reasoning_tokens$/,
      'the same counts stand in `usage`',
    ],
  ],
  gemini: [
    [/content\.role$/, named],
    [/createTime$/, clock],
    [/finishMessage$/, 'a warning unless the reason is STOP, with which it says nothing new'],
    [/usageMetadata\.trafficType$/, 'a number of an enum; the name is reported'],
    [/tokenId$/, 'the number of a token whose text is reported'],
    [/cacheTokensDetails/, parts],
  ],
  'openai-responses': [
    [new RegExp(`^(response\\.)?(${requestFields})(\\.|$)`), echoes],
    [/^response\.output\./, 'items come in events of their own, before the end'],
    [/^response\.output_text$/, 'all texts again'],
    [/^part\./, 'a part is given out by its deltas and its own `done` event'],
    [
      /^(annotation\.index|annotation_index|content_index|summary_index|command_index|sequence_number)$/,
      'order',
    ],
    [/^item_id$/, 'an event with a place is found by it'],
    [
      /^(text|arguments|command|delta\.stdout)$|^output\.\[\]\.(outcome|stdout|stderr)/,
      'deltas said it; the finished item has it whole',
    ],
    [/^(partial_image_.*|output_format|quality|size)$/, 'previews of a picture that comes whole'],
    [/^(response\.)?(completed_at|created_at|created)$/, clock],
    [
      /^(response\.)?(object|obfuscation)$/,
      'named by the endpoint; or padding against measurements of length',
    ],
    [/^(response\.)?conversation\.id$/, echoes],
    [/bytes\.\[\]$/, bytes],
    [/top_logprobs/, 'deltas reported them'],
    [/tool_usage\.image_gen\..*_details/, parts],
    [/usage\.(context_details|cost_details)\.|usage\.is_byok$/, parts],
    [/^prompt_filter_results\./, echoes],
    [/^(total_tokens|usage\.total_tokens)$/, parts],
  ],
  'anthropic-messages': [
    [/(^|\.)(role|type)$/, named],
    [/content_block\.signature$/, 'empty at the start; the delta has it'],
    [/^context_management\./, "what the caller's own edits cleared"],
    [/^message\.usage\./, 'counts at the start; those of the end replace them'],
    [/usage\.inference_geo$/, echoes],
    [
      /^usage\.iterations\./,
      'iterations of the answering model are in the sums; the others are added and seen',
    ],
  ],
  'ollama-chat': [
    [/^created_at$/, clock],
    [/^message\.role$/, named],
    [
      /^message\.tool_calls\.\[\]\.function\.index$/,
      'missing in old versions, restarting in others: the order decides',
    ],
  ],
}
