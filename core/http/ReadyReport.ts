/** One thing this process needs. `detail` is public: a state, never an error's text. */
export type ReadyComponent = { name: string; ready: boolean; detail?: string };

/** Whether this process may be sent requests, and by which of its parts not. */
export type ReadyReport = { ready: boolean; components: readonly ReadyComponent[] };
