/** Why a stream ends, as the client sees it. 4000 and above are ours, the others RFC 6455's. */
export const closeCodes = {
	/** The client sent more than a stream takes. */
	policy: 1008,
	/** This process ends, or its database was restored: connect again and resume. */
	restart: 1012,
	/** The log cannot be read right now: connect again later. */
	tryLater: 1013,
	/** The client does not read as fast as its topics speak. */
	slowConsumer: 4008,
	/** The client has answered no ping: nobody is there any more. */
	silent: 4010,
	/** One client address holds too many streams. */
	tooManyConnections: 4029,
} as const;
