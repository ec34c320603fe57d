import { egress, type FaultRow, factory, here, inFile, kit, withData } from './fault-row.ts'

/** Threats to where requests go: E. */
export const hosts: readonly FaultRow[] = [
  {
    id: 'E1',
    fault: 'the host that is said is not the one that is contacted',
    required: 'equal, or `invalid-base-url`; nothing untyped',
    tests: [
      ...factory(
        'contacted-hosts',
        'only the declared hosts are contacted for 300 generated configurations',
      ),
      ...factory('egress', 'connections that the connector opens'),
      ...inFile('packages/core/test/base-url.test.ts', 'every URL of the cases of the standard'),
      ...factory(
        'contacted-hosts',
        'every absolute http(s) URL has the host that the URL standard states',
      ),
      ...here('properties', 'base URLs: any text is a host of the one form'),
      ...kit('E1'),
    ],
  },
  {
    id: 'E2',
    fault: 'addresses made to confuse',
    required: 'one form of host and port, read back as itself, or refused without being repeated',
    tests: [
      ...inFile('packages/core/test/base-url.test.ts', '%j'),
      ...factory('hosts', 'apiHost, case by case'),
    ],
  },
  {
    id: 'E3',
    fault: 'any other connection',
    required: "none: behind a proxy, under Deno, by the system's own calls, with no network at all",
    tests: [
      ...egress(
        "each vendor's conversation with a tool asks for the declared hosts",
        'the proxy sees who asks for another host',
      ),
      ...withData(egress('under Deno, which allows what the exporter says'), 'Deno'),
      ...withData(egress("by the system's own calls"), 'strace'),
      ...withData(egress('with no network at all'), 'unshare'),
    ],
  },
  {
    id: 'E4',
    fault: 'proxy variables are set',
    required: 'ignored unless a proxy is configured; then it is named as the host',
    tests: factory(
      'hosts',
      '%s alone changes nothing',
      'a proxy is listed as well, since it is what is dialled',
      'the password of a proxy is sent to the proxy alone',
    ),
  },
  {
    id: 'E5',
    fault: 'importing a package does something',
    required: 'no socket, no variable, no file beyond its modules; core has no dependency',
    tests: [
      ...inFile(
        'test/workspace.test.ts',
        'core has no dependencies',
        'the manifest has the scripts that the checks call, and none that runs at install',
      ),
      ...withData(egress('importing @modelport/%s needs no permission at all'), 'Deno'),
      ...withData(
        egress('importing @modelport/%s opens no socket and reads no variable'),
        'strace',
      ),
    ],
  },
  {
    id: 'E6',
    fault: 'an image whose address is inside the network',
    required: "never asked from here: the vendor's server asks, or it is refused",
    tests: here('media', '$name: the address of an image is handed on or refused'),
  },
  {
    id: 'E7',
    fault: 'a proxy or a redirect takes the token of a machine elsewhere',
    required: 'metadata servers are asked directly and not followed, and are listed so',
    tests: [
      ...inFile(
        'packages/provider-google/test/default-credentials.test.ts',
        'the metadata server is asked past any proxy of the environment',
        'a redirect of the metadata server is not followed',
      ),
      ...factory('hosts', 'the metadata servers of %s are dialled past a proxy, and listed so'),
    ],
  },
]
