/**
 * Names in code type on our pages that belong to somebody else, and stand in no source here: the
 * page, whose names they are, and the names.
 */
export const foreignNames: Readonly<
  Record<string, readonly { readonly of: string; readonly names: readonly string[] }[]>
> = {
  'docs/agent.md': [
    {
      of: 'A2A',
      names: ['VersionNotSupportedError', 'PushNotificationNotSupportedError'],
    },
  ],
  'docs/guides/chat-that-survives.md': [
    { of: 'Hono', names: ['getRequestListener'] },
    { of: 'the AI SDK', names: ['validateUIMessages', 'onFinish'] },
  ],
  'docs/guides/browser-streaming.md': [
    { of: 'the AI SDK', names: ['onFinish', 'resumeStreamIsReplay'] },
  ],
  'docs/performance.md': [{ of: 'Node', names: ['HeapProfiler'] }],
  'docs/compare.md': [
    { of: 'Agents JS', names: ['RealtimeAgent'] },
    { of: 'Mastra', names: ['ToolSearchProcessor'] },
    { of: 'LangGraph.js', names: ['useStream'] },
    { of: 'the AI SDK', names: ['fingerprintTools'] },
    { of: 'Cloudflare Agents', names: ['McpAgent'] },
    { of: 'Pydantic AI', names: ['FallbackModel'] },
    { of: 'pi-ai', names: ['createImagesProvider'] },
    {
      of: 'the AI SDK and TanStack AI',
      names: ['generateImage', 'generateSpeech', 'generateTranscription', 'generateVideo'],
    },
  ],
  'docs/providers/anthropic.md': [{ of: 'AWS', names: ['CallWithBearerToken'] }],
  'docs/errors.md': [{ of: 'Python', names: ['ValueError'] }],
  'evidence/a2a.md': [{ of: 'A2A', names: ['TaskNotCancelableError'] }],
  'evidence/walked-guides.md': [{ of: 'LangChain in Python', names: ['InMemorySaver'] }],
  'evidence/habits.md': [
    {
      of: 'the AI SDK',
      names: ['cosineSimilarity', 'createProviderRegistry', 'toUIMessageStreamResponse'],
    },
    { of: 'nobody: a guess', names: ['connectMcp'] },
  ],
  'skills/modelport/references/mistakes.md': [
    { of: 'the AI SDK', names: ['createProviderRegistry', 'toUIMessageStreamResponse'] },
    { of: 'LangChain', names: ['initChatModel'] },
  ],
  'evidence/kill.md': [{ of: 'Inngest', names: ['createInngestAgent'] }],
  'evidence/performance.md': [{ of: 'V8', names: ['--max-semi-space-size'] }],
  'evidence/port-notes.md': [
    {
      of: 'the Go package',
      names: [
        'EventDone',
        'EventError',
        'SendToolResults',
        'IsError',
        'SetTools',
        'WithSystem',
        'WithMaxTokens',
        'WithTemperature',
      ],
    },
    { of: 'LLLM', names: ['AgentBase', 'AsyncAgentBase'] },
    { of: 'Python', names: ['ValueError', 'RuntimeError', 'NotImplementedError'] },
  ],
  'docs/guides/engines.md': [
    { of: 'Restate', names: ['inactivityTimeout', 'abortTimeout', 'identityKeys'] },
  ],
  'docs/guides/from-ai-sdk.md': [
    {
      of: 'the AI SDK',
      names: ['activeTools', 'RetryError', 'customProvider', 'toUIMessageStreamResponse'],
    },
  ],
  'docs/guides/from-langchain.md': [
    {
      of: 'LangChain',
      names: [
        'initChatModel',
        'withRetry',
        'MemorySaver',
        'SqliteSaver',
        'PostgresSaver',
        'humanInTheLoopMiddleware',
        'dynamicSystemPromptMiddleware',
        'llmToolSelectorMiddleware',
        'modelCallLimitMiddleware',
        'toolCallLimitMiddleware',
        'modelFallbackMiddleware',
        'modelRetryMiddleware',
        'summarizationMiddleware',
        'wrapModelCall',
        'wrapToolCall',
        'trimMessages',
      ],
    },
  ],
  'docs/guides/nextjs.md': [{ of: 'Next.js', names: ['serverExternalPackages'] }],
  'docs/guides/from-openai-agents.md': [
    {
      of: 'OpenAI Agents',
      names: [
        'RunState',
        'inputGuardrails',
        'outputGuardrails',
        'MemorySession',
        'maxTurns',
        'modelSettings',
        'outputType',
        'asTool',
      ],
    },
  ],
  'docs/guides/from-lllm.md': [
    { of: 'LLLM', names: ['AgentBase'] },
    { of: 'Python', names: ['ValueError'] },
  ],
  'docs/hosts.md': [{ of: 'Node', names: ['--allow-addons'] }],
}
