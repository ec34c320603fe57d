import type { ComponentChildren, VNode } from 'preact'

/** Titles of the columns of a table; those of numbers are aligned as these are. */
export type Columns = readonly (readonly [title: ComponentChildren, isNumber?: boolean])[]

/** The first row of a table. */
export const TableHead = ({ columns }: { readonly columns: Columns }): VNode => (
  <thead>
    <tr>
      {columns.map(([title, isNumber], index) => (
        <th key={index} scope="col" class={isNumber ? 'number' : ''}>
          {title}
        </th>
      ))}
    </tr>
  </thead>
)
