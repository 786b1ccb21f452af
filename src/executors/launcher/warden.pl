# The warden: `perl -f ./warden NAME CALL... ONCE`, its FIFO as stdin, one process that holds any number of plain steps.
#
# It reads `JOB BYTES` lines: so many bytes of the job's file are the path of its record. It says what keepers say, and goes when
# the engine and all steps have gone. Without modules it is small, and so is what each fork copies. A job is read by its child: what
# lives on has no secrets.
# D54

my $name = shift;
my ($setsid, $sigmask, $signalfd, $once) = map { $_ + 0 } @ARGV;
my ($EINTR, $ENOENT, $NO_HANG, $SIGINT, $SIGPIPE) = (4, 2, 1, 2, 13);
my ($BLOCK, $UNBLOCK, $NOT_IN_STEPS) = (0, 1, 02000000);
sub set { my $bits = 0; $bits |= 1 << $_ - 1 for @_; return pack 'VV', $bits, 0 } # of signals, as system calls take it
my $CHILD = set(17);
my @HELD_OFF = (set(1, 2, 3, 10, 12, 14, 15, 17), 0, 8); # who asks one process to end would take from all steps who knows of their end
my ($CLAIMED, $NOT_FOUND, $NOT_EXECUTED, $NO_FOLDER, $NO_LOG) = (125, 127, 126, 1, 2);
my (%held, $told);

umask 077;
open PID, '>', "$name.pid" and syswrite PID, "$$\n";
close PID;
$SIG{PIPE} = sub {}; # the engine may be gone; a handler, as what is ignored stays so in steps

sub report {
  my $line = "@_\n";
  until (defined syswrite STDOUT, $line) { return if $! != $EINTR }
}

sub forked {
  my $pid;
  until (defined($pid = fork)) {
    reap(); # who has ended counts as a process until then: at a limit nobody could begin any more
    select undef, undef, undef, 0.1;
  }
  return $pid;
}

sub become {
  my ($job, $state) = @_;
  sysread JOB, my $text, -s JOB or exit $CLAIMED;
  my (undef, $began, $out, $err, $cwd, $umask, $count, @rest) = split /\0/, $text, -1;
  my @argv = splice @rest, 0, $count;
  unlink $job;
  open STAT, '<', '/proc/self/stat' or exit $CLAIMED;
  my $record = "$began " . <STAT>; # with the session of this warden
  syscall $setsid;
  syscall $sigmask, $UNBLOCK, @HELD_OFF;
  # It must be ours: two engines never run one job.
  sysopen STATE, $state, $once, 0600 or exit $CLAIMED;
  (syswrite(STATE, $record) || 0) == length $record or exit $CLAIMED;
  report 'began', $job;
  open STDIN, '<', '/dev/null' or exit $NO_LOG;
  open STDOUT, '>>', $out or exit $NO_LOG;
  open STDERR, '>>', $err or exit $NO_LOG;
  umask oct $umask;
  unless (chdir $cwd) {
    syswrite STDERR, "the working directory $cwd cannot be entered\n";
    exit $NO_FOLDER;
  }
  %ENV = map { split /=/, $_, 2 } @rest;
  exec { $argv[0] } @argv;
  my $code = $! == $ENOENT ? $NOT_FOUND : $NOT_EXECUTED;
  syswrite STDERR, "$argv[0] cannot be executed: $!\n";
  exit $code;
}

sub begin {
  my ($job, $bytes) = @_;
  my $state;
  unless (open JOB, '<', $job and sysread JOB, $state, $bytes) {
    report 'ended', $name, $job, $CLAIMED, 0;
    return;
  }
  my $pid = forked;
  become($job, $state) unless $pid;
  close JOB;
  $held{$pid} = [$job, $state];
}

sub ended {
  my ($pid, $status) = @_;
  my ($job, $state) = @{delete $held{$pid}};
  my $signal = $status & 127;
  my $code = $signal ? 128 + $signal : $status >> 8;
  my $signaled = $signal && $signal != $SIGINT && $signal != $SIGPIPE ? 1 : 0; # as shells tell them
  open STATE, '>>', $state and syswrite STATE, "$code $signaled\n";
  close STATE;
  report 'ended', $name, $job, $code, $signaled;
}

sub reap {
  while ((my $pid = waitpid -1, $NO_HANG) > 0) { ended($pid, $?) }
}

my $probe = forked;
exit(syscall($setsid) == $$ ? 0 : 1) unless $probe;
waitpid $probe, 0;
exit 1 if $?;

# Ends are read. A handler runs between two operations: of a child that ends right before select nobody would hear.
syscall($sigmask, $BLOCK, @HELD_OFF) == 0 or exit 1;
my $ends = syscall $signalfd, -1, $CHILD, 8, $NOT_IN_STEPS;
open ENDS, '<&=', $ends or exit 1;

report 'ready', $name, $$;
my $listening = 1;
while ($listening or %held) {
  my $watched = '';
  vec($watched, fileno STDIN, 1) = 1 if $listening;
  vec($watched, fileno ENDS, 1) = 1;
  next if select(my $readable = $watched, undef, undef, undef) < 1;
  if ($listening and vec $readable, fileno STDIN, 1) {
    my $bytes = sysread STDIN, $told, 4096, length $told;
    $listening = 0 if defined $bytes and not $bytes;
    begin($1, $2) while $told =~ s/^(\S+) (\d+)\n//;
  }
  sysread ENDS, my $signals, 4096 if vec $readable, fileno ENDS, 1;
  reap();
}
