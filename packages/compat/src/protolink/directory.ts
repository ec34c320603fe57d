import type { AgentCard } from '@modelport/agent'

/** The filter of a search; every given field must match. */
export interface DirectoryQuery {
  /** Only the agent of this name. */
  readonly name?: string
  /** Only agents with this role. */
  readonly role?: AgentCard['role']
  /** Only agents with this tag. */
  readonly tag?: string
  /** Id of a skill. */
  readonly skill?: string
}

/** Finds agents by their cards, in memory. */
export interface AgentDirectory {
  /** Adds a card; one of the same name is replaced. */
  register(card: AgentCard): void
  /** Removes a card. Unknown names are ignored. */
  unregister(name: string): void
  /** The cards that match, in the order they were added. */
  find(query?: DirectoryQuery): readonly AgentCard[]
  /** How many agents there are. */
  readonly size: number
}

/** Makes a directory of cards. */
export function createDirectory(cards: readonly AgentCard[] = []): AgentDirectory {
  const byName = new Map(cards.map((card) => [card.name, card]))
  return {
    register: (card) => void byName.set(card.name, card),
    unregister: (name) => void byName.delete(name),
    find: ({ name, role, tag, skill } = {}) =>
      [...byName.values()].filter(
        (card) =>
          (name === undefined || card.name === name) &&
          (role === undefined || card.role === role) &&
          (tag === undefined || card.tags.includes(tag)) &&
          (skill === undefined || card.skills.some(({ id }) => id === skill)),
      ),
    get size() {
      return byName.size
    },
  }
}
