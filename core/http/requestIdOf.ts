const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's own id for a request where it is harmless to repeat in headers and logs. */
export function requestIdOf(request: Request, generate: () => string): string {
	const given = request.headers.get("x-request-id");
	return given !== null && SANE.test(given) ? given : generate();
}
