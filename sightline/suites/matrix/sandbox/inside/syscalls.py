"""Linux system calls: those without a Python wrapper, and tables of numbers for the seccomp filter.

The tables hold `name:number on x86_64:number on aarch64`, with a dash where the call does not exist.
"""

from __future__ import annotations

import ctypes
import os

ALLOWED = """
read:0:63 write:1:64 readv:19:65 writev:20:66 pread64:17:67 pwrite64:18:68 preadv:295:69 pwritev:296:70 open:2:-
openat:257:56 close:3:57 close_range:436:436 lseek:8:62 stat:4:- fstat:5:80 lstat:6:- newfstatat:262:79
statx:332:291 statfs:137:43 fstatfs:138:44 access:21:- faccessat:269:48 faccessat2:439:439 getdents:78:-
getdents64:217:61 getcwd:79:17 chdir:80:49 fchdir:81:50 mkdir:83:- mkdirat:258:34 rmdir:84:- unlink:87:-
unlinkat:263:35 rename:82:- renameat:264:38 renameat2:316:276 link:86:- linkat:265:37 symlink:88:- symlinkat:266:36
readlink:89:- readlinkat:267:78 ftruncate:77:46 fallocate:285:47 fadvise64:221:223 fsync:74:82 fdatasync:75:83
flock:73:32 umask:95:166 dup:32:23 dup2:33:- dup3:292:24 pipe:22:- pipe2:293:59 poll:7:- ppoll:271:73 select:23:-
pselect6:270:72 epoll_create:213:- epoll_create1:291:20 epoll_ctl:233:21 epoll_wait:232:- epoll_pwait:281:22
eventfd:284:- eventfd2:290:19 sendfile:40:71 copy_file_range:326:285
mmap:9:222 munmap:11:215 mremap:25:216 mprotect:10:226 madvise:28:233 brk:12:214 msync:26:227 mincore:27:232
membarrier:324:283
futex:202:98 get_robust_list:274:100 set_robust_list:273:99 set_tid_address:218:96 rseq:334:293 sched_yield:24:124
sched_getaffinity:204:123 sched_getparam:143:121 sched_getscheduler:145:120 sched_get_priority_max:146:125
sched_get_priority_min:147:126
nanosleep:35:101 clock_nanosleep:230:115 clock_gettime:228:113 clock_getres:229:114 gettimeofday:96:169 time:201:-
times:100:153 getitimer:36:102 setitimer:38:103 alarm:37:- pause:34:-
rt_sigaction:13:134 rt_sigprocmask:14:135 rt_sigreturn:15:139 rt_sigpending:127:136 rt_sigtimedwait:128:137
rt_sigsuspend:130:133 sigaltstack:131:132 restart_syscall:219:128
getpid:39:172 getppid:110:173 gettid:186:178 getuid:102:174 geteuid:107:175 getgid:104:176 getegid:108:177
getresuid:118:148 getresgid:120:150 getgroups:115:158 getpgrp:111:- getpgid:121:155 getsid:124:156 getrandom:318:278
getrusage:98:165 uname:63:160 sysinfo:99:179 getcpu:309:168 getpriority:140:141 getrlimit:97:163 setrlimit:160:164
arch_prctl:158:- exit:60:93 exit_group:231:94 wait4:61:260 waitid:247:95
"""
"""What Python, NumPy and Matplotlib need: files (Landlock says which), memory, threads, clocks, own signals."""

GUARDED = """
clone:56:220 fcntl:72:25 ioctl:16:29 kill:62:129 prctl:157:167 prlimit64:302:261 tgkill:234:131
"""
"""Allowed for some arguments only."""

REFUSED = """
socket:41:198 socketpair:53:199 connect:42:203 bind:49:200 listen:50:201 accept:43:202 accept4:288:242 sendto:44:206
recvfrom:45:207 sendmsg:46:211 recvmsg:47:212
fork:57:- vfork:58:- execve:59:221 execveat:322:281 ptrace:101:117 process_vm_readv:310:270
process_vm_writev:311:271 pidfd_open:434:434 pidfd_getfd:438:438 pidfd_send_signal:424:424 tkill:200:130
rt_sigqueueinfo:129:138 rt_tgsigqueueinfo:297:240 kcmp:312:272
mount:165:40 umount2:166:39 pivot_root:155:41 chroot:161:51 unshare:272:97 setns:308:268 open_tree:428:428
move_mount:429:429 fsopen:430:430 fsconfig:431:431 fsmount:432:432 fspick:433:433 mount_setattr:442:442
bpf:321:280 perf_event_open:298:241 userfaultfd:323:282 keyctl:250:219 add_key:248:217 request_key:249:218
io_uring_setup:425:425 io_uring_enter:426:426 io_uring_register:427:427
init_module:175:105 finit_module:313:273 delete_module:176:106 kexec_load:246:104 kexec_file_load:320:294
reboot:169:142 swapon:167:224 swapoff:168:225
chmod:90:- fchmod:91:52 fchmodat:268:53 chown:92:- fchown:93:55 lchown:94:- fchownat:260:54 setxattr:188:5
lsetxattr:189:6 fsetxattr:190:7 removexattr:197:14 lremovexattr:198:15 fremovexattr:199:16 utime:132:- utimes:235:-
utimensat:280:88 futimesat:261:- truncate:76:45 mknod:133:- mknodat:259:33
memfd_create:319:279 memfd_secret:447:447 shmget:29:194 shmat:30:196 shmctl:31:195 semget:64:190 msgget:68:186
mq_open:240:180 inotify_init:253:- inotify_init1:294:26 fanotify_init:300:262 name_to_handle_at:303:264
open_by_handle_at:304:265
setuid:105:146 setgid:106:144 setreuid:113:145 setregid:114:143 setresuid:117:147 setresgid:119:149
setgroups:116:159 capset:126:91 setsid:112:157 setpgid:109:154 setpriority:141:140 sched_setaffinity:203:122
sched_setscheduler:144:119 sched_setparam:142:118 sched_setattr:314:274 ioprio_set:251:30 sethostname:170:161
setdomainname:171:162 settimeofday:164:170 clock_settime:227:112 acct:163:89 syslog:103:116 seccomp:317:277
"""
"""Refused with EPERM ("Operation not permitted"); calls in no table fail with ENOSYS."""

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""For each supported machine: its column in the tables above, and its audit architecture constant."""


def syscall_numbers(table: str, machine: str) -> dict[str, int]:
    """Return the system calls of a table with their numbers on one machine."""
    column = MACHINES[machine][0] + 1
    rows = (row.split(":") for row in table.split())
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
CAPABILITY_VERSION = 0x20080522
CAPABILITIES = 64

_library = ctypes.CDLL(None, use_errno=True)
_library.syscall.restype = ctypes.c_long


def syscall(number: int, *arguments: int | ctypes.Array[ctypes.c_char] | ctypes.c_char_p | None) -> int:
    """Make a system call by number; raises OSError on failure."""
    values = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    result = int(_library.syscall(ctypes.c_long(number), *values))
    if result < 0:
        error_number = ctypes.get_errno()
        raise OSError(error_number, os.strerror(error_number))
    return result


def prctl(option: int, value: int) -> None:
    """Call `prctl` with one value; raises OSError on failure."""
    if _library.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)) < 0:
        error_number = ctypes.get_errno()
        raise OSError(error_number, os.strerror(error_number))


def drop_capabilities(capset: int) -> None:
    """Drop all capabilities of this process and its descendants."""
    for capability in range(CAPABILITIES):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:  # an ordinary user has nothing to give away, and a kernel knows fewer than 64
            continue
    header = ctypes.create_string_buffer(CAPABILITY_VERSION.to_bytes(4, "little") + bytes(4), 8)
    syscall(capset, header, ctypes.create_string_buffer(24))
