/**
 * True for `localhost` and the addresses 127.0.0.0/8 and ::1, with or without brackets: this
 * machine. A port is not part of a host. No other name, such as `app.localhost`: a name server may
 * say anything about it.
 * @see https://www.rfc-editor.org/rfc/rfc6890#section-2.2.2
 */
export const isLoopback = (host: string): boolean =>
  ['localhost', '::1', '[::1]'].includes(host) || /^127(?:\.\d{1,3}){3}$/.test(host)
