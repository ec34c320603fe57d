import type { Effect } from './world.ts'

/** What happened in the process that works on the job. */
export interface Happening {
  /** Number of the process, from 1. */
  readonly worker: number
  /** How many processes have been killed so far. */
  readonly kills: number
  readonly effect?: Effect
  /** A request to the model: how many replies it has so far. */
  readonly model?: number
  /** A person is asked for an approval. */
  readonly asks?: boolean
}

/** When a process is killed: once all its jobs have come so far. */
export interface Moment {
  readonly name: string
  /** What the page says of it. */
  readonly about: string
  isIt(happening: Happening): boolean
  /** The process is killed within 50 ms after the response was sent, otherwise before. */
  readonly isLater?: boolean
  /** The process is killed at a random time of its jobs. */
  readonly isRandom?: boolean
  /** Nothing is killed: the response is lost on its way, once for each job. */
  readonly losesReply?: boolean
}

export const moments: readonly Moment[] = [
  {
    name: 'reply lost, nothing killed',
    about:
      'the ledger has the effect of `pay`, and the connection of its response breaks; the process continues',
    isIt: ({ effect }) => effect?.call === 'pay',
    losesReply: true,
  },
  {
    name: 'inside the tool',
    about: 'the ledger has the effect of `pay`, and the tool has no response yet',
    isIt: ({ kills, effect }) => kills === 0 && effect?.call === 'pay',
  },
  {
    name: 'after the tool',
    about: 'up to 50 ms, at random, after the tool `pay` has its response',
    isIt: ({ kills, effect }) => kills === 0 && effect?.call === 'pay',
    isLater: true,
  },
  {
    name: 'before the next reply',
    about: 'the request for the reply after `pay` has reached the model',
    isIt: ({ kills, model }) => kills === 0 && model === 1,
  },
  {
    name: 'twice in a row',
    about: 'inside the tool `pay`, and the next process in the next effect that it causes',
    isIt: ({ kills, worker, effect }) => effect !== undefined && kills < 2 && worker === kills + 1,
  },
  {
    name: 'while a person is asked',
    about: 'the approval of `refund` is waited for; it is given to the next process',
    isIt: ({ kills, asks }) => kills === 0 && asks === true,
  },
  {
    name: 'inside the approved tool',
    about: 'the ledger has the effect of `refund`, which was approved',
    isIt: ({ kills, effect }) => kills === 0 && effect?.call === 'refund',
  },
  {
    name: 'at random',
    about: 'any time from the start of the job until its last reply',
    isRandom: true,
    isIt: () => false,
  },
]
