/* Attributes that browsers know and Vue's types do not yet. */
import 'vue'

declare module 'vue' {
  interface ButtonHTMLAttributes {
    popovertarget?: string
  }
  interface HTMLAttributes {
    popover?: '' | 'auto' | 'manual' | true
  }
}
