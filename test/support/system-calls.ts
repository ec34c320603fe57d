const inet = /sa_family=AF_INET, sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)/
const inet6 = /sa_family=AF_INET6, sin6_port=htons\((\d+)\),.* inet_pton\(AF_INET6, "([^"]+)"/

/**
 * `host:port` of every address that a log of strace says was connected or sent to; a socket without
 * any is `AF_INET`.
 */
export function inetCalls(log: string): string[] {
  const lines = log.split('\n')
  const addresses = lines.flatMap((line) => {
    const [, port = '', host = ''] = inet.exec(line) ?? []
    const [, port6 = '', host6 = ''] = inet6.exec(line) ?? []
    return [...(host ? [`${host}:${port}`] : []), ...(host6 ? [`[${host6}]:${port6}`] : [])]
  })
  return addresses.length > 0
    ? addresses
    : lines.filter((line) => line.includes('socket(AF_INET')).map(() => 'AF_INET')
}
