import { createApp } from 'vue'
import App from './App.vue'
import { whenNoSession } from './api/client'
import { router } from './router'
import { followLocale } from './state/locale'
import { user } from './state/session'
import { followTheme } from './state/theme'
import './style/tokens.css'
import './style/base.css'
import './style/tones.css'

followTheme()
followLocale()

whenNoSession(() => {
  const wasIn = user.value
  user.value = null
  const here = router.currentRoute.value
  if (wasIn && here.name !== 'sign-in') {
    void router.push({ name: 'sign-in', query: { next: here.fullPath } })
  }
})

createApp(App).use(router).mount('#app')
