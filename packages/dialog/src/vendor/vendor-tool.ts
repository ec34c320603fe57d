/** What to do if a vendor does not have a tool: refuse the call, or make it without the tool. */
export type WhenMissing = 'refuse' | 'omit'

/** A tool that the vendor runs itself, in no vendor's form. */
export type VendorTool =
  | { readonly type: 'web-search'; readonly whenMissing: WhenMissing }
  | {
      readonly type: 'computer-use'
      /** Width of the screen, in pixels. */
      readonly width: number
      /** Height of the screen, in pixels. */
      readonly height: number
      /** The controlled environment, for example `browser`. */
      readonly environment: string
      readonly whenMissing: WhenMissing
    }
  | {
      readonly type: 'mcp'
      /** Names the server in the vendor's reply. */
      readonly label: string
      /** Address of the server. The vendor contacts it; modelport never does. */
      readonly url: string
      /**
       * When a person has to approve a call: `never`, `manual` for each, `auto` as the vendor
       * decides.
       */
      readonly requireApproval: 'never' | 'manual' | 'auto'
      /** Names of the tools that may be called. Unset: all. */
      readonly allowedTools?: readonly string[]
      readonly whenMissing: WhenMissing
    }

/** Settings that all vendor tools share. */
export interface VendorToolSettings {
  /**
   * What to do if the vendor does not have the tool: `refuse` fails the call as `unsupported`.
   * Default `refuse`.
   */
  readonly whenMissing?: WhenMissing
}

/** Asks for the vendor's web search. */
export const webSearch = ({ whenMissing = 'refuse' }: VendorToolSettings = {}): VendorTool => ({
  type: 'web-search',
  whenMissing,
})

/** Asks for the vendor's control of a screen. Default: a browser of 1280 × 800 pixels. */
export const computerUse = ({
  width = 1280,
  height = 800,
  environment = 'browser',
  whenMissing = 'refuse',
}: VendorToolSettings & {
  readonly width?: number
  readonly height?: number
  readonly environment?: string
} = {}): VendorTool => ({ type: 'computer-use', width, height, environment, whenMissing })

/** Asks the vendor to call the tools of an MCP server itself. */
export const vendorMcp = ({
  label,
  url,
  requireApproval = 'never',
  allowedTools,
  whenMissing = 'refuse',
}: VendorToolSettings & {
  readonly label: string
  readonly url: string
  readonly requireApproval?: 'never' | 'manual' | 'auto'
  readonly allowedTools?: readonly string[]
}): VendorTool => ({
  type: 'mcp',
  label,
  url,
  requireApproval,
  ...(allowedTools && { allowedTools }),
  whenMissing,
})
