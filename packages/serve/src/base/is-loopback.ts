/** True for a host, with or without a port, that is this machine. */
export const isLoopback = (host: string): boolean => /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host)
