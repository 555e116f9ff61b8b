/**
 * Starts the page. A separate file, because the page's policy forbids inline scripts.
 *
 * `validatorUrl: null` matters: otherwise the library sends the document to its maker's server.
 */
export const openApiStartScript = `window.ui = SwaggerUIBundle({
	url: "/openapi/json",
	domNode: document.getElementById("page"),
	deepLinking: true,
	validatorUrl: null,
	persistAuthorization: false,
	displayRequestDuration: true,
});
`;
