// What differs from the plain case of a row, with the reason in words. A cell that is in no list
// works, with the requests of its row.
import type { ErrorCode } from '@modelport/core'
import type { Door } from './door.js'

/** A difference at some columns. */
export interface Exception {
  /** Heads of the columns, with spaces between them. */
  readonly at: string
  /** Why. */
  readonly why: string
  /** It works, with this many requests. */
  readonly requests?: number
  /** It is refused with this code. */
  readonly refused?: ErrorCode
  /** It does not work, and should: what happens instead. Whoever mends it deletes the line. */
  readonly broken?: string
}

const noTools = 'the server refuses tools; a provider hands the refusal on'
const actions = 'the server refuses tools; the run continues with JSON actions'
const noFormat = 'the server refuses the schema, then any JSON: the schema is said in words'
const unknownThinking = 'nothing is known of how the model thinks'
const noSchema = 'the model refuses the schema, which is said in words'
const notInWords = 'the server refuses the schema; the AI SDK does not say it in words'
const noThinking = 'the model does not think, and the server says so'
const noBatches = 'the API has no batches'
const noLogprobs = 'the API has no probabilities of tokens'
const hidesLogprobs = 'a model that thinks reports no probabilities of tokens'
const quiet = 'the first reply shows that the model thinks: it is asked again, not to'
const noGrammar = 'the API has no grammars'
const fewest = 'the API takes at least 16 tokens, which is more than is left: nothing is asked'
const files = 'the requests and the replies of a batch are files'
const noTemperature = 'the model refuses a temperature: the first call is made again without one'
const next = 'the methods before are refused: the next one gives the label'

/** By row. */
export const exceptions: Readonly<Record<string, readonly Exception[]>> = {
  'generate, with a tool': [{ at: 'O- L-', refused: 'unsupported', why: noTools }],
  streamWithTools: [{ at: 'O- L-', refused: 'unsupported', why: noTools }],
  'a batch': [
    { at: 'R R* C C*', requests: 6, why: files },
    { at: 'B B* B- O O* O- K K- K* L L* L-', refused: 'unsupported', why: noBatches },
  ],
  generateObject: [
    { at: 'K-', requests: 3, why: noFormat },
    { at: 'B-', requests: 2, why: noSchema },
  ],
  streamObject: [
    { at: 'K-', requests: 3, why: noFormat },
    { at: 'B-', requests: 2, why: noSchema },
  ],
  'infer, with a tool': [{ at: 'O- L-', requests: 3, why: actions }],
  'infer, each step prepared': [{ at: 'O- L-', requests: 3, why: actions }],
  'infer, with a schema': [
    { at: 'K-', requests: 3, why: noFormat },
    { at: 'B-', requests: 2, why: noSchema },
  ],
  'infer, with a tool and a schema': [
    { at: 'O- L-', requests: 3, why: actions },
    { at: 'B-', requests: 3, why: noSchema },
  ],
  'infer, with a tool as JSON actions': [
    { at: 'K-', requests: 4, why: noFormat },
    { at: 'B-', requests: 3, why: noSchema },
  ],
  'infer, JSON actions without a tool': [
    { at: 'K-', requests: 3, why: noFormat },
    { at: 'B-', requests: 2, why: noSchema },
  ],
  'infer, asked to think a little': [
    { at: 'R C', refused: 'invalid-request', why: noThinking },
    { at: 'O O-', refused: 'unsupported', why: noThinking },
    { at: 'B-', refused: 'unsupported', why: unknownThinking },
  ],
  'infer, with a budget of 4 tokens': [{ at: 'R R*', requests: 0, why: fewest }],
  'inferStream, with a tool': [{ at: 'O- L-', requests: 3, why: actions }],
  'infer, with somebody to hand over to': [{ at: 'O- L-', requests: 3, why: actions }],
  'infer, with a deferred tool': [{ at: 'O- L-', requests: 4, why: actions }],
  'infer, with an eager tool and a limit of results': [{ at: 'O- L-', requests: 3, why: actions }],
  'inferStream, with a tool that reports progress': [{ at: 'O- L-', requests: 3, why: actions }],
  'useChat, with a tool': [{ at: 'O- L-', requests: 3, why: actions }],
  callAction: [{ at: 'O- L-', requests: 2, why: actions }],
  'a dialog, json': [
    { at: 'K-', requests: 3, why: noFormat },
    { at: 'B-', requests: 2, why: noSchema },
  ],
  'a dialog, json and a tool': [
    { at: 'O- L-', requests: 3, why: actions },
    { at: 'B-', requests: 3, why: noSchema },
  ],
  classify: [
    { at: 'M M* B', requests: 3, why: next },
    { at: 'B*', requests: 4, why: next },
    { at: 'B-', requests: 6, why: next },
    { at: 'K*', requests: 6, why: next },
    { at: 'G*', requests: 4, why: next },
    { at: 'O* L*', requests: 2, why: quiet },
  ],
  'classify, by logprobs': [
    { at: 'M M* B B* B-', refused: 'unsupported', why: noLogprobs },
    { at: 'G* K*', refused: 'invalid-request', why: hidesLogprobs },
    { at: 'O* L*', requests: 2, why: quiet },
  ],
  'classify, by grammar': [
    { at: 'M M* R R* C C* B B* B- G G* O O* O- K K- K*', refused: 'unsupported', why: noGrammar },
  ],
  'classify, by schema': [
    { at: 'R* C* B* K*', requests: 4, why: noTemperature },
    { at: 'K-', requests: 9, why: noFormat },
    { at: 'B-', requests: 6, why: noSchema },
  ],
  'classify, by votes': [{ at: 'R* C* B* K*', requests: 4, why: noTemperature }],
  binaryClassify: [
    { at: 'M M* B', requests: 5, why: next },
    { at: 'B*', requests: 6, why: next },
    { at: 'B-', requests: 10, why: next },
    { at: 'K*', requests: 8, why: next },
    { at: 'G*', requests: 6, why: next },
    { at: 'O* L*', requests: 2, why: quiet },
  ],
  'infer, with an agent to delegate to': [{ at: 'O- L-', requests: 4, why: actions }],
  "an agent's task, with an agent to delegate to": [{ at: 'O- L-', requests: 4, why: actions }],
  'a durable run, with a tool': [{ at: 'O- L-', requests: 3, why: actions }],
  "an agent's task, with a tool": [{ at: 'O- L-', requests: 3, why: actions }],
  "an agent's task, with a schema": [
    { at: 'K-', requests: 3, why: noFormat },
    { at: 'B-', requests: 2, why: noSchema },
  ],
  "an agent's task, as JSON actions without a tool": [
    { at: 'K-', requests: 3, why: noFormat },
    { at: 'B-', requests: 2, why: noSchema },
  ],
  'generateText, with a tool': [{ at: 'O- L-', refused: 'unsupported', why: noTools }],
  'streamText, with a tool': [{ at: 'O- L-', refused: 'unsupported', why: noTools }],
  'generateText, with a schema': [
    { at: 'K-', refused: 'invalid-request', why: notInWords },
    { at: 'B-', refused: 'unsupported', why: notInWords },
  ],
}

/** What a row is expected to do at a column; undefined for what it does anywhere. */
export function exceptionOf({ name }: Pick<Door, 'name'>, head: string): Exception | undefined {
  return exceptions[name]?.find(({ at }) => at.split(' ').includes(head))
}
