const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns the caller's own request id if it is safe in headers and logs, else a new one. */
export function requestIdOf(request: Request, generate: () => string): string {
	const given = request.headers.get("x-request-id");
	return given !== null && SANE.test(given) ? given : generate();
}
