/**
 * The files that take longest, or wait longest, first the longest. Without what vitest remembers of
 * the last run, which a clean clone lacks, it begins with the largest files; a small one that takes
 * half a minute would end alone, next to an idle core.
 */
export const longFiles: readonly string[] = [
  'packages/durable/test/cuts.test.ts',
  'packages/durable/test/histories.test.ts',
  'test/kill.test.ts',
  'test/examples.test.ts',
  'packages/studio/test/attach.test.ts',
  'examples/restate/test/restate.test.ts',
  'test/egress.test.ts',
  'packages/mcp/test/conformance.test.ts',
  'packages/provider-openai-compatible/test/conformance.test.ts',
  'test/grid/grid.test.ts',
  'packages/durable/test/lost-file.test.ts',
  'packages/mcp/test/versions.test.ts',
  'test/boundaries.test.ts',
  'test/faults/growth.test.ts',
  'test/faults/sockets.test.ts',
  'test/faults/limits.test.ts',
  'test/docs.test.ts',
  'test/files.test.ts',
  'packages/provider-mock/test/conformance.test.ts',
  'packages/dialog/test/schedules.test.ts',
  'packages/cli/test/terminal.test.ts',
  'test/attack/secrets.test.ts',
  'test/attack/growth.test.ts',
  'test/faults/arguments.test.ts',
  'packages/runtime/test/abort.test.ts',
  'packages/runtime/test/small-model.test.ts',
  'packages/runtime/test/loop-histories.test.ts',
  'packages/runtime/test/crash-points.test.ts',
  'packages/dialog/test/small-model.test.ts',
  'test/sandbox-runtime.test.ts',
  'test/provider-pages.test.ts',
  'packages/cli/test/agent-store.test.ts',
]
