/** The form of every error answer: RFC 9457 and our own members. */
export type Problem = {
	type: string;
	title: string;
	status: number;
	detail: string;
	/** Stable, snake_case: programs switch on it. */
	code: string;
	/** Equal to `detail`, for clients that look for a message. */
	message: string;
	requestId: string;
	provider?: string;
	retryAfterMs?: number;
	issues?: readonly ProblemIssue[];
};

export type ProblemIssue = { path: string; message: string };
