import type { ComponentChildren, VNode } from 'preact'

/** Says what went wrong, to screen readers at once. Nothing while nothing is wrong. */
export const Problem = ({ children }: { readonly children?: ComponentChildren }): VNode | null =>
  children ? (
    <p class="problem" role="alert">
      {children}
    </p>
  ) : null
