/**
 * A breakpoint of the cache, by its lifetime.
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching (read 2026-11-21)
 */
export const cacheMark = {
  auto: { cache_control: { type: 'ephemeral' } },
  hour: { cache_control: { type: 'ephemeral', ttl: '1h' } },
}
