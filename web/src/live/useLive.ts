/* A submission that a component shows, kept up to date until its verdict. */
import { onScopeDispose, ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import type { Submission } from '../api/types'
import { follow, type Channel } from './follow'
import { reduceLive } from './submission'

export interface Live {
  submission: ShallowRef<Submission | null>
  channel: Ref<Channel | null>
  watch(submission: Submission): void
  leave(): void
}

export function useLive(): Live {
  const submission = shallowRef<Submission | null>(null)
  const channel = ref<Channel | null>(null)
  let end = (): void => undefined

  function leave(): void {
    end()
    submission.value = null
  }

  function watch(next: Submission): void {
    end()
    submission.value = next
    if (next.state === 'DONE') return
    end = follow(next.id, {
      onEvent(event) {
        if (submission.value?.id === next.id) submission.value = reduceLive(submission.value, event)
      },
      onChannel(now) {
        channel.value = now
      },
    })
  }

  onScopeDispose(() => end())
  return { submission, channel, watch, leave }
}
