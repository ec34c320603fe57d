import { driver, type FaultRow, here, inFile, runtime, withData } from './fault-row.ts'

/** Threats by tools and their arguments: T. */
export const tools: readonly FaultRow[] = [
  {
    id: 'T1',
    fault: 'arguments that pollute a prototype',
    required: 'an error, spelled plainly or escaped; nothing inherited, nothing changed',
    tests: [
      ...here('arguments', 'keys that would pollute a prototype are an error'),
      ...here('processes', 'a conversation with a tool works where __proto__ throws'),
      ...here('mutations', 'a broken wire gives typed errors and whole events, and nothing else'),
      ...driver('tool-arguments', '%j would pollute a prototype and is an error'),
      ...runtime('hostile-arguments', 'arguments that reach the executor all the same'),
    ],
  },
  {
    id: 'T2',
    fault: 'broken or partial arguments',
    required: 'told to the model, never repaired, never executed',
    tests: [
      ...here('arguments', 'every start of a call is refused until it is whole'),
      ...here('arguments', 'JSONTestSuite: malformed arguments are never executed'),
      ...driver(
        'tool-arguments',
        '%j is an error, and nothing is made of it',
        'every start of a call is an error until it is whole',
      ),
      ...runtime('hostile-arguments', 'a text cut at any place is never executed'),
    ],
  },
  {
    id: 'T3',
    fault: 'arguments too deep, too many, too long',
    required: '`limit-exceeded`: depth 128, 1 MiB a call; 50 ms to find out',
    tests: [
      ...here('arguments', 'arguments that are too deep, too many or too long are refused'),
      ...driver('tool-arguments', 'nesting beyond 128 is an error, however long the text'),
      ...runtime(
        'hostile-arguments',
        'a text larger than 1 MiB is refused, whatever was made of it',
      ),
    ],
    pending:
      'where arguments travel as an object (Google, Ollama) their event is parsed, and they are written out, before a limit counts: one to two seconds for 12 MB of a million keys, 0.2 s for 10 MB of text; `maxEventBytes`, 16 MiB, is what bounds it',
  },
  {
    id: 'T4',
    fault: 'texts that make a regular expression slow',
    required:
      'the time grows with the length, up to 100,000 characters, every expression of every package',
    tests: here('regexes', 'no regular expression takes time by the square of its text'),
  },
  {
    id: 'T5',
    fault: 'escapes that a terminal acts on',
    required: 'none reaches it; pipes unchanged',
    tests: inFile(
      'packages/cli/test/terminal-text.test.ts',
      'text for a terminal holds nothing a terminal acts on, however it is cut',
      'in JSON it is escaped, and the value stays the same',
    ),
  },
  {
    id: 'T6',
    fault: 'compaction of any history',
    required: 'no call is parted from its results, the system prompt stays, twice is once',
    tests: runtime(
      'compaction',
      'T6: random histories',
      'createSummarizer is one call of its own, in which no text can pass for a message',
    ),
  },
  {
    id: 'T7',
    fault: 'a crash while a conversation is saved',
    required:
      'every chat loads, without the save that was cut off at most; nothing damaged is taken for one; two never lose what one said',
    tests: [
      ...here(
        'crashes',
        'before any step on the disk',
        'nothing is named before it is on the disk',
        'what is left of a chat goes with it',
        'a file that is cut anywhere, or has a bit turned round, is not a chat',
        'a message less, and still JSON',
      ),
      ...here(
        'crashes',
        'one at any step of the other, once or twice',
        'a chat that was deleted meanwhile, or has a folder in its place, is saved under another id',
      ),
      ...here(
        'crashes',
        'every chat loads after kill -9, again and again, and has all but the save that was cut off',
        'two that continue the same chat',
        'a chat stays whole when files may not become larger',
        'a chat stays whole without the right to its folder, and is saved once it is back',
      ),
      ...withData(
        here(
          'crashes',
          'a chat stays whole on a full disk, and is saved once there is space',
          'a chat stays whole on a disk that became read-only',
        ),
        'unshare',
      ),
      ...inFile(
        'packages/cli/test/chat-saving.test.ts',
        'a chat that cannot be saved',
        'a chat that another process continued',
      ),
    ],
  },
  {
    id: 'T8',
    fault: 'stored conversations that are not what they should be',
    required: 'plain data only, lone surrogates kept, foreign markers refused',
    tests: [
      ...inFile(
        'packages/core/test/content.test.ts',
        'a conversation survives JSON, lone surrogates included',
      ),
      ...here(
        'properties',
        'a history that is stored and read back is the same, lone surrogates and foreign markers too',
      ),
    ],
  },
  {
    id: 'T9',
    fault: 'calls that cost more than they say',
    required: "overshoot is at most one call's declared maximum; no request after exhaustion",
    tests: [
      ...runtime(
        'budget-adversary',
        'overshoot is 0 over 1,000 random schedules: no usage, lies, endless replies, retries, parallel tools, nested runs',
      ),
      ...runtime(
        'budget-runs',
        '100 schedules against a server that does its worst have no call, prompt or tool call too many, and of replies at most the delta that shows it',
      ),
    ],
  },
  {
    id: 'T10',
    fault: 'a model that never stops, a tool that never settles',
    required: 'ends at the limit of steps, of time, of calls at once',
    tests: [
      ...runtime('wire-loops', 'endless calls stop at the limit of steps'),
      ...runtime(
        'tool-batch',
        'a tool that never settles gets a result in time, and an event reports it',
        'executeBatch runs no more calls at once than the concurrency, in call order',
      ),
      ...runtime('run-limits', 'nothing but repeats ends the run'),
    ],
  },
  {
    id: 'T11',
    fault: 'a run cut off after a tool has run',
    required: 'no stored result is made twice',
    tests: runtime('abort', 'cut off at every await, what is stored can be taken up again'),
  },
  {
    id: 'T12',
    fault: 'everybody tries again at once',
    required: 'at most 1.1 requests a call once the bucket is empty; waits spread evenly',
    tests: driver(
      'retry',
      'the number of attempts is at most 1.1 requests a call in a storm of failures',
      'the wait before a retry is spread evenly',
    ),
  },
  {
    id: 'T13',
    fault: 'a hand-off whose tool has the name of another',
    required: 'refused before anything is called, with the name and what to do',
    tests: runtime('handoff', 'handoffs with %s are refused before anything is called'),
  },
]
