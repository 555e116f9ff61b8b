/** The application name of the connection by which a process shows that it uses the server. */
export const shareName = "tapeline-share";
