/** Why a stream ends, as the client sees it. 4000 and above are ours, the others RFC 6455's. */
export const closeCodes = {
	/** The client sent more than a stream takes. */
	policy: 1008,
	/** This process ends, or its database was restored: the client connects again and resumes. */
	restart: 1012,
	/** The log cannot be read right now: the client connects again later. */
	tryLater: 1013,
	/** The client reads more slowly than its topics publish. */
	slowConsumer: 4008,
	/** The client has answered no ping: the connection is dead. */
	silent: 4010,
	/** One client address holds too many streams. */
	tooManyConnections: 4029,
} as const;
