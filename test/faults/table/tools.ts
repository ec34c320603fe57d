import { driver, type FaultRow, here, inFile, runtime, withData } from './fault-row.ts'

/** Threats by tools and their arguments: T. */
export const tools: readonly FaultRow[] = [
  {
    id: 'T1',
    fault: 'arguments that pollute a prototype',
    required: 'an error, spelled plainly or escaped; nothing inherited, nothing changed',
    tests: [
      ...here('arguments', 'keys that would pollute a prototype are an error'),
      ...here('processes', 'a conversation with a tool where __proto__ throws'),
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
      ...here('arguments', 'too deep, too many, too long'),
      ...driver('tool-arguments', 'nesting beyond 128, however long the text'),
      ...runtime('hostile-arguments', 'a text larger than 1 MiB, whatever was made of it'),
    ],
    pending:
      'where arguments travel as an object (Google, Ollama) their event is parsed, and they are written out, before a limit counts: one to two seconds for 12 MB of a million keys, 0.2 s for 10 MB of text; `maxEventBytes`, 16 MiB, is what bounds it',
  },
  {
    id: 'T4',
    fault: 'texts that make a regular expression slow',
    required: '50 ms at most for 100,000 characters, every expression of every package',
    tests: here('regexes', 'no regular expression takes time by the square of its text'),
  },
  {
    id: 'T5',
    fault: 'escapes that a terminal acts on',
    required: 'none reaches it; pipes unchanged',
    tests: inFile(
      'packages/cli/test/terminal-text.test.ts',
      'holds nothing a terminal acts on, however it is cut',
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
      'is one call of its own, in which no text can pass for a message',
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
        'cut anywhere, or any bit of it turned round',
        'a message less, and still JSON',
      ),
      ...here('crashes', 'one at any step of the other, once or twice', 'deleted meanwhile, or a folder in its place'),
      ...here(
        'crashes',
        'killed with kill -9, again and again',
        'two that continue the same chat',
        'files may not become larger',
        'no right to the folder',
      ),
      ...withData(here('crashes', 'a disk that is full', 'a disk that became read-only'), 'unshare'),
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
      ...inFile('packages/core/test/content.test.ts', 'a conversation survives JSON, lone surrogates included'),
      ...here('properties', 'stored and read back it is the same'),
    ],
  },
  {
    id: 'T9',
    fault: 'calls that cost more than they say',
    required: "overshoot is at most one call's declared maximum; no request after exhaustion",
    tests: [
      ...runtime('budget-adversary', 'overshoot is 0 over 1,000 random schedules'),
      ...runtime('budget-runs', '100 schedules against a server that does its worst'),
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
        'never more than the concurrency',
      ),
      ...runtime('run-limits', 'nothing but repeats ends it'),
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
    tests: driver('retry', 'is at most 1.1 requests a call in a storm of failures', 'is spread evenly'),
  },
]
