const problems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'not a folder',
  EEXIST: 'not a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'files may not become that large',
  EROFS: 'the disk is read-only',
}

/** The meaning of an error code of the operating system, or the code itself if it is unusual. */
export const describeCode = (error: unknown): string => {
  const { code = 'unknown' } = (error ?? {}) as NodeJS.ErrnoException
  return problems[code] ?? code
}

/**
 * Describes an error of the operating system about a file, a port or the output; undefined for any
 * other error.
 */
export function systemProblem(error: unknown): string | undefined {
  const { code, path, syscall, port } = (error ?? {}) as NodeJS.ErrnoException & {
    readonly port?: unknown
  }
  if (code === undefined) return undefined
  if (syscall === 'listen' && typeof port === 'number') return listenProblem(code, port)
  if (path !== undefined) return `${path}: ${describeCode(error)}`
  return syscall === 'write' && code in problems
    ? `the output cannot be written: ${describeCode(error)}`
    : undefined
}

function listenProblem(code: string, port: number): string {
  if (code === 'EADDRINUSE')
    return `port ${port} is taken; choose another with --port, or end the program that uses it`
  if (code === 'EACCES')
    return `this user may not listen on port ${port}; choose a port above 1023 with --port`
  return `cannot listen on port ${port} (${code}); choose another with --port`
}
