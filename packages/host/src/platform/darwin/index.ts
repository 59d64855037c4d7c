import type { Platform } from "../platform.ts";
import { SystemError } from "../system-error.ts";

/**
 * macOS needs its own calls (LOCAL_PEERTOKEN, kqueue, libproc, other termios numbers), which nobody could test here. Each
 * of them refuses with code "unsupported" instead of doing something untested.
 */
function refuse(call: string): (...args: readonly unknown[]) => never {
  return () => {
    throw new SystemError("unsupported", call);
  };
}

export const darwin: Platform = {
  pty: {
    open: refuse("pty.open"),
    setSize: refuse("pty.setSize"),
    readSize: refuse("pty.readSize"),
    foregroundGroup: refuse("pty.foregroundGroup"),
    lineDiscipline: refuse("pty.lineDiscipline"),
    flushInput: refuse("pty.flushInput"),
    signalForeground: refuse("pty.signalForeground"),
    writeNow: refuse("pty.writeNow"),
    settleInput: refuse("pty.settleInput"),
    close: refuse("pty.close"),
    openReader: refuse("pty.openReader"),
  },
  processes: {
    spawn: refuse("processes.spawn"),
    reap: refuse("processes.reap"),
    read: refuse("processes.read"),
    startIdentity: refuse("processes.startIdentity"),
    list: refuse("processes.list"),
    readEnvironment: refuse("processes.readEnvironment"),
    readCwd: refuse("processes.readCwd"),
    readArguments: refuse("processes.readArguments"),
    ignoresStopSignals: refuse("processes.ignoresStopSignals"),
    readExecutable: refuse("processes.readExecutable"),
    listOpenFiles: refuse("processes.listOpenFiles"),
    signal: refuse("processes.signal"),
    creationId: refuse("processes.creationId"),
    bootId: refuse("processes.bootId"),
  },
  self: {
    startSession: refuse("self.startSession"),
    setParentDeathSignal: refuse("self.setParentDeathSignal"),
    setUmask: refuse("self.setUmask"),
    setName: refuse("self.setName"),
    showArguments: refuse("self.showArguments"),
    openPipe: refuse("self.openPipe"),
    detachStdio: refuse("self.detachStdio"),
    closeInherited: refuse("self.closeInherited"),
    openFilesLimit: refuse("self.openFilesLimit"),
    uid: () => process.getuid?.() ?? -1,
    notifyServiceManager: refuse("self.notifyServiceManager"),
    nanosecondsSinceBoot: refuse("self.nanosecondsSinceBoot"),
  },
  files: {
    tryLock: refuse("files.tryLock"),
    lock: refuse("files.lock"),
    unlock: refuse("files.unlock"),
    syncDirectory: refuse("files.syncDirectory"),
  },
  sockets: {
    listen: refuse("sockets.listen"),
    accept: refuse("sockets.accept"),
    receive: refuse("sockets.receive"),
    receiveWithDescriptor: refuse("sockets.receiveWithDescriptor"),
    send: refuse("sockets.send"),
    sendWithDescriptor: refuse("sockets.sendWithDescriptor"),
    signalReadiness: refuse("sockets.signalReadiness"),
    openReadinessSet: refuse("sockets.openReadinessSet"),
    close: refuse("sockets.close"),
  },
  readPeer: refuse("readPeer"),
  readTcpOwner: refuse("readTcpOwner"),
};
