const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Returns the pages that may ask somebody to sign in here: the service's own and the allowed ones.
 *
 * The `Host` header is whatever the caller writes, so it counts only where nobody can be misled by
 * it: on this very machine, and in the sandbox.
 */
export function signInOrigins(
	request: Request,
	{ publicUrl, allowedOrigins, sandbox }: SignInPlace,
): readonly string[] {
	if (publicUrl !== undefined) return [new URL(publicUrl).origin, ...allowedOrigins];
	const host = request.headers.get("host") ?? "";
	const own = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
	if (own?.host !== host.toLowerCase()) return allowedOrigins;
	if (!LOOPBACK.test(own.hostname))
		return sandbox ? [own.origin, ...allowedOrigins] : allowedOrigins;
	const port = own.port === "" ? "" : `:${own.port}`;
	const names = ["localhost", "127.0.0.1", "[::1]"].map((name) => `http://${name}${port}`);
	return [own.origin, ...names.filter((name) => name !== own.origin), ...allowedOrigins];
}

/** Where a deployment is reached. */
export type SignInPlace = {
	/** `PUBLIC_URL`. */
	publicUrl: string | undefined;
	allowedOrigins: readonly string[];
	sandbox: boolean;
};
