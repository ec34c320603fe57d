import type { JsonObject } from '@modelport/core'
import type { PendingQuestion } from '@modelport/runtime'
import type { JsonValue } from '../base/json.js'

/** What every part may carry next to its content. */
export interface PartFields {
  /** Facts about the part. */
  readonly metadata?: JsonObject
  /** Name of the file that the content is. */
  readonly filename?: string
  /** Media type of the content. */
  readonly mediaType?: string
}

/** A tool that is to be called. */
export interface ToolCallContent {
  /** The tool that is called. */
  readonly toolName: string
  /** Its arguments, not validated yet. */
  readonly args: JsonObject
  /** Ties the output to the call. */
  readonly callId?: string
}

/** The outcome of a tool call: a result, or an error. */
export interface ToolOutputContent {
  /** The call that this is the output of. */
  readonly callId?: string
  /** The tool that was called. */
  readonly toolName?: string
  /** What the tool returned. Unset: it failed. */
  readonly result?: JsonValue
  /** Why the tool failed. Unset: it did not. */
  readonly error?: string
}

/** A request to run the model. */
export interface InferContent {
  /** What the model is asked. */
  readonly prompt?: string
  /** Who asks, as the sender says. */
  readonly user?: string
  /** JSON schema that the answer must satisfy. */
  readonly outputSchema?: JsonObject
  /** Whatever the sender adds. */
  readonly metadata?: JsonObject
}

/** A failure, for programs and people. */
export interface ErrorContent {
  /** Class of the error, for programs. */
  readonly code: string
  /** What went wrong, for people. */
  readonly message: string
  /** True if the same request may succeed later. Default false. */
  readonly retryable: boolean
}

/** A state that the sender asks for, for example `input-required`. */
export interface StatusContent {
  /** The state that is reported. */
  readonly state: string
  /** A text about it. */
  readonly message?: string
}

/** Which way a flow continues. */
export interface RouteContent {
  /** The route that was chosen. */
  readonly routeKey: string
  /** Why. */
  readonly reason?: string
  /** How sure the chooser is, 0 to 1. */
  readonly confidence?: number
  /** Whatever the chooser adds. */
  readonly metadata?: JsonObject
}

/**
 * What became of a call whose outcome nobody recorded, as a person found out. `happened`: it had
 * its effect. `did-not-happen`: it had none, and is executed now. `unknown`: nobody will find out,
 * and the model reads that.
 */
export type UncertainOutcome = 'happened' | 'did-not-happen' | 'unknown'

/** What somebody says about one request, through whichever door. */
export interface RequestDecision {
  /** Names the request. */
  readonly requestId: string
  /**
   * True allows the call or accepts the question, false refuses it. Unset for a call whose outcome
   * is unknown, and for work that continues elsewhere: they have an `outcome`.
   */
  readonly approved?: boolean
  /** What became of a call whose outcome is unknown, or of work that continued elsewhere. */
  readonly outcome?: UncertainOutcome
  /** What the call returned, for the model, if it `happened`. Default: an empty text. */
  readonly result?: string
  /** Why, for the model and the record. */
  readonly reason?: string
  /** The answer to a question that is accepted: what its schema asks for. */
  readonly content?: JsonObject
  /**
   * Digest of what was shown: the server refuses a decision about something else. Default of a
   * client: that of the request in the task that is given.
   */
  readonly digest?: string
}

/**
 * What waits for somebody, or the decision about it: an approval, a question of a tool, a call
 * whose outcome is unknown, or work that continues elsewhere.
 */
export interface RequestContent extends RequestDecision {
  /** Who decided, as the decider says; the server records the authenticated principal. */
  readonly decidedBy?: string
  /** What would be done; only in a request. */
  readonly action?: JsonObject
  /**
   * SHA-256 of tool, validated arguments and principal, in hex. A decision that approves repeats
   * that of its request.
   */
  readonly digest?: string
  /** Why, for the model and the record. In a request: why somebody is asked. */
  readonly reason?: string
  /**
   * Set if a tool asks the user: only the owner of the task answers. A request has no `reason`
   * then. Texts of an MCP server are its own, as `from` says.
   */
  readonly question?: PendingQuestion['question']
  /** When the request turns into a refusal, ISO 8601. */
  readonly expiresAt?: string
  /**
   * True for a call that was started and whose outcome nobody recorded, only in a request. It is
   * neither approved nor refused: its decision has an `outcome`.
   */
  readonly uncertain?: boolean
  /** Names of the agents from the root down, if a sub-agent made the request. */
  readonly path?: readonly string[]
}

/** An atomic piece of a message or artifact. */
export type Part = PartFields &
  (
    | { readonly type: 'text'; readonly content: string }
    | { readonly type: 'json'; readonly content: JsonValue }
    | { readonly type: 'tool_call'; readonly content: ToolCallContent }
    | { readonly type: 'tool_output'; readonly content: ToolOutputContent }
    | { readonly type: 'infer'; readonly content: InferContent }
    | { readonly type: 'infer_output'; readonly content: JsonValue }
    | { readonly type: 'error'; readonly content: ErrorContent }
    | { readonly type: 'status'; readonly content: StatusContent }
    | { readonly type: 'route'; readonly content: RouteContent }
    | { readonly type: 'decision'; readonly content: RouteContent }
    | { readonly type: 'request'; readonly content: RequestContent }
    /** Bytes in base64. */
    | { readonly type: 'bytes'; readonly content: string }
    | { readonly type: 'file'; readonly content: JsonValue }
    | { readonly type: 'image'; readonly content: JsonValue }
    /** An address. modelport never fetches it by itself. */
    | { readonly type: 'uri'; readonly content: string }
    /** A part of a type that this version does not know, kept as it came. */
    | { readonly type: 'other'; readonly wireType: string; readonly content: JsonValue }
  )

/** The types of parts. */
export type PartType = Part['type']

/** One function per type of part. */
export interface PartMakers {
  /** Plain text. */
  text(content: string): Part
  /** Any JSON value. */
  json(content: JsonValue): Part
  /**
   * A tool that is to be called. Default: without arguments, and the agent makes the id of the
   * call.
   */
  toolCall(toolName: string, args?: JsonObject, callId?: string): Part
  /** What a tool call came to. */
  toolOutput(content: ToolOutputContent): Part
  /** A request to run the model. */
  infer(content: InferContent): Part
  /** What the model replied to an `infer` part. */
  inferOutput(content: JsonValue): Part
  /** A failure. `retryable` says whether the same request may succeed later; default false. */
  error(code: string, message: string, retryable?: boolean): Part
  /** A state that the sender asks for. */
  status(state: string, message?: string): Part
  /** Which way a flow continues, as the sender asks. */
  route(routeKey: string, rest?: Omit<RouteContent, 'routeKey'>): Part
  /** Which way a flow continues, as it was decided. */
  decision(routeKey: string, rest?: Omit<RouteContent, 'routeKey'>): Part
  /** What waits for somebody, or the decision about it. */
  request(content: RequestContent): Part
  /** Bytes in base64. */
  bytes(content: string, fields?: PartFields): Part
  /** An address; modelport never fetches it by itself. */
  uri(content: string, fields?: PartFields): Part
  /** A file, in the form that sender and receiver agree on. */
  file(content: JsonValue, fields?: PartFields): Part
  /** An image, in the form that sender and receiver agree on. */
  image(content: JsonValue, fields?: PartFields): Part
}

/** Makes parts. */
export const createPart: PartMakers = Object.freeze<PartMakers>({
  text: (content) => ({ type: 'text', content }),
  json: (content) => ({ type: 'json', content }),
  toolCall: (toolName, args = {}, callId) => ({
    type: 'tool_call',
    content: { toolName, args, ...(callId !== undefined && { callId }) },
  }),
  toolOutput: (content) => ({ type: 'tool_output', content }),
  infer: (content) => ({ type: 'infer', content }),
  inferOutput: (content) => ({ type: 'infer_output', content }),
  error: (code, message, retryable = false) => ({
    type: 'error',
    content: { code, message, retryable },
  }),
  status: (state, message) => ({
    type: 'status',
    content: { state, ...(message !== undefined && { message }) },
  }),
  route: (routeKey, rest = {}) => ({ type: 'route', content: { routeKey, ...rest } }),
  decision: (routeKey, rest = {}) => ({ type: 'decision', content: { routeKey, ...rest } }),
  request: (content) => ({ type: 'request', content }),
  bytes: (content, fields) => ({ type: 'bytes', content, ...fields }),
  uri: (content, fields) => ({ type: 'uri', content, ...fields }),
  file: (content, fields) => ({ type: 'file', content, ...fields }),
  image: (content, fields) => ({ type: 'image', content, ...fields }),
})

/** The text of parts that are text, joined by line breaks. */
export const textOfParts = (list: readonly Part[]): string =>
  list
    .flatMap((part) => {
      if (part.type === 'text') return [part.content]
      if (part.type === 'infer_output')
        return [typeof part.content === 'string' ? part.content : ''].filter(Boolean)
      return []
    })
    .join('\n')
