/* Addresses and who may see them. The server decides; this only spares a page that would fail. */
import { createRouter, createWebHistory, type RouteRecordRaw } from 'vue-router'
import { knownUser } from './state/session'
import { reloadOnce } from './state/version'

declare module 'vue-router' {
  interface RouteMeta {
    access: 'none' | 'user' | 'admin'
    /* Uses the whole window instead of a column. */
    wide?: boolean
  }
}

const routes: RouteRecordRaw[] = [
  { path: '/', redirect: { name: 'problems' } },
  {
    path: '/sign-in',
    name: 'sign-in',
    component: () => import('./pages/SignIn.vue'),
    meta: { access: 'none' },
  },
  {
    path: '/problems',
    name: 'problems',
    component: () => import('./pages/ProblemList.vue'),
    meta: { access: 'user' },
  },
  {
    path: '/problems/:id(\\d+)',
    name: 'problem',
    component: () => import('./pages/ProblemPage.vue'),
    meta: { access: 'user', wide: true },
  },
  {
    path: '/submissions',
    name: 'submissions',
    component: () => import('./pages/SubmissionList.vue'),
    meta: { access: 'user' },
  },
  {
    path: '/submissions/:id(\\d+)',
    name: 'submission',
    component: () => import('./pages/SubmissionPage.vue'),
    meta: { access: 'user' },
  },
  {
    path: '/account',
    name: 'account',
    component: () => import('./pages/AccountPage.vue'),
    meta: { access: 'user' },
  },
  { path: '/admin', redirect: { name: 'admin-problems' } },
  {
    path: '/admin/problems',
    name: 'admin-problems',
    component: () => import('./pages/admin/ImportPage.vue'),
    meta: { access: 'admin' },
  },
  {
    path: '/admin/users',
    name: 'admin-users',
    component: () => import('./pages/admin/UsersPage.vue'),
    meta: { access: 'admin' },
  },
  {
    path: '/admin/judgers',
    name: 'admin-judgers',
    component: () => import('./pages/admin/JudgersPage.vue'),
    meta: { access: 'admin' },
  },
  {
    path: '/admin/pools',
    name: 'admin-pools',
    component: () => import('./pages/admin/PoolsPage.vue'),
    meta: { access: 'admin' },
  },
  {
    path: '/admin/jobs',
    name: 'admin-jobs',
    component: () => import('./pages/admin/JobsPage.vue'),
    meta: { access: 'admin' },
  },
  {
    path: '/admin/rejudgings',
    name: 'admin-rejudgings',
    component: () => import('./pages/admin/RejudgingsPage.vue'),
    meta: { access: 'admin' },
  },
  {
    path: '/admin/rejudgings/:id(\\d+)',
    name: 'admin-rejudging',
    component: () => import('./pages/admin/RejudgingPage.vue'),
    meta: { access: 'admin' },
  },
  {
    path: '/admin/system',
    name: 'admin-system',
    component: () => import('./pages/admin/SystemPage.vue'),
    meta: { access: 'admin' },
  },
  {
    path: '/error',
    name: 'error',
    component: () => import('./pages/ErrorPage.vue'),
    meta: { access: 'none' },
  },
  {
    path: '/:rest(.*)*',
    name: 'lost',
    component: () => import('./pages/LostPage.vue'),
    meta: { access: 'none' },
  },
]

export const router = createRouter({
  history: createWebHistory(),
  routes,
  scrollBehavior(to, from, saved) {
    if (saved) return saved
    return to.path === from.path ? false : { top: 0 }
  },
})

router.beforeEach(async (to) => {
  if (to.meta.access === 'none') return true
  let who
  try {
    who = await knownUser()
  } catch {
    return { name: 'error', query: { next: to.fullPath } }
  }
  if (!who) return { name: 'sign-in', query: { next: to.fullPath } }
  if (to.meta.access === 'admin' && who.role !== 'admin') return { name: 'lost', params: { rest: ['not-allowed'] } }
  return true
})

/* After an update of the server the old chunks are gone: load the new pages. */
router.onError((_error, to) => reloadOnce(to.fullPath))
