/** Whether a request asks to become a WebSocket, as Elysia decides it. */
export function isUpgrade(request: Request): boolean {
	return request.method === "GET" && request.headers.get("upgrade") === "websocket";
}
